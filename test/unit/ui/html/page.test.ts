import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { reportPage } from "../../../../src/ui/html/page.ts";
import type { AnyReport } from "../../../../src/ui/report.ts";
import { ENDED, exportValue, importValue, migrateValue, verifyValue } from "../../../helpers/report-values.ts";

/** A run that fails early has few keys. */
const page = (value: object): string => reportPage(value as AnyReport, { isAnonymous: false });
/** What a reader sees: the text without its markup, and without style and script. */
const textOf = (html: string): string =>
  html
    .replace(/<(style|script)>[\s\S]*?<\/\1>/g, "")
    .replace(/<span class="whole">(.*?)<\/span>/g, "$1")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

describe("what a page tells", () => {
  test("of an import: the sums, what ended it, how it continues, and each failure with its line and reason", () => {
    const text = textOf(page(importValue));
    expect(text).toContain("12,345 read = 11,004 sent + 1,340 not sent + 1 skipped");
    expect(text).toContain("11,004 sent = 10,400 created + 600 already there + 3 failed + 1 unknown");
    expect(text).toContain("example.zitadel.cloud did not answer within 330 s");
    expect(text).toContain("orgferry import importBody.json --target https://example.zitadel.cloud");
    expect(text).toMatch(
      /failed 1 Another user of the organization or instance has the user name\. .* auth0\|1 importBody\.json:17/,
    );
    expect(text).toMatch(/importBody\.json:77 humanUsers\.user\.email\.email Not an e-mail address/);
    expect(text).toMatch(/e-mails at most 1,204/);
    expect(text).toContain("10,841 users in 3 min 9 s: 57 per second on average");
    expect(text).toMatch(/argon2 420/);
  });

  const updateValue = {
    ...importValue,
    command: "copy",
    users: {
      read: 100,
      sent: 40,
      created: 15,
      alreadyThere: 0,
      failed: 0,
      unknown: 0,
      updated: 25,
      unchanged: 58,
      conflict: 2,
      notSent: 0,
      skipped: 0,
    },
    failures: [],
    unknown: [],
    problems: [],
    deleted: 2,
    deactivated: 0,
    update: { conflict: [{ userId: "auth0|9", fields: ["hash", "metadata.nickname of Ann"] }] },
  };

  test("of a copy that updates users: changed, kept, deleted and conflicting users", () => {
    expect(textOf(page({ ...updateValue, exitCode: 1 }))).toContain("some users have conflicts and were not changed");
    const text = textOf(page(updateValue));
    expect(text).toContain("100 read = 40 sent + 58 unchanged + 2 conflict");
    expect(text).toContain("40 sent = 15 created + 25 updated");
    expect(text).toContain("users deleted 2");
    expect(text).toMatch(/conflict 1 Password changed on the target by another user, and not overwritten/);
    expect(text).toContain("auth0|9 hash, metadata.nickname of Ann");
    const anonymous = textOf(reportPage(updateValue as AnyReport, { isAnonymous: true }));
    expect(anonymous).toContain("hash, metadata");
    expect(anonymous).not.toMatch(/auth0\|9|Ann/);
  });

  test("names what the target has and the file lacks", () => {
    const verified = { ...importValue, command: "verify", expected: 2, found: 2, unexpected: ["u7", "u8"] };
    const value = { ...verified, missing: [], different: [], loginNames: { u7: "ann@example.com" } };
    expect(textOf(page(value))).toContain(
      "2 users or objects are on the target that the file lacks: u7 (ann@example.com), u8",
    );
    expect(textOf(reportPage(value as unknown as AnyReport, { isAnonymous: true }))).not.toContain("u8");
    const more = { ...value, unexpected: Array.from({ length: 1_000 }, (_, at) => `u${at}`) };
    expect(textOf(page(more))).toContain("at least 1,000 users or objects are on the target");
  });

  test("an anonymous page has no key of metadata in its lists of differences", () => {
    const found = [{ type: "human_user", id: "u1", fields: ["hash", "metadata.friend-ann@secret.example"] }];
    const verified = {
      ...importValue,
      command: "verify",
      expected: 2,
      found: 2,
      differentCount: 1,
      changedSinceCount: 1,
    };
    const value = { ...verified, missing: [], different: found, changedSince: found, unexpected: [] };
    expect(textOf(page(value))).toContain("friend-ann");
    const anonymous = textOf(reportPage(value as unknown as AnyReport, { isAnonymous: true }));
    expect(anonymous).toContain("hash, metadata");
    expect(anonymous).not.toContain("friend-ann");
  });

  test("of a conflict: who changed the value on the target, and when, in UTC to the minute", () => {
    const at = "2026-11-21T22:28:59.5+02:00";
    const conflicts = [
      { userId: "u1", fields: ["hash"], changedBy: { userId: "u1", at } },
      { userId: "u2", fields: ["email"], changedBy: { userId: "234", name: "Eve\u202e", at } },
      { userId: "u3", fields: ["phone"], changedBy: { at } },
    ];
    const text = textOf(page({ ...updateValue, exitCode: 1, update: { conflict: conflicts } }));
    expect(text).toContain("u1 hash (by the user, 2026-11-21 20:28 UTC)");
    expect(text).toContain("u2 email (by 234 (Eve\\u{202e}), 2026-11-21 20:28 UTC)");
    expect(text).toContain("u3 phone (by an unknown account, 2026-11-21 20:28 UTC)");
  });

  test("of an import that was compared: what failed is not missing as well, and the kinds add up", () => {
    const one = { type: "human_user", id: "u1", line: 3 };
    const text = textOf(
      page({
        ...importValue,
        exitCode: 1,
        users: { read: 9, sent: 9, created: 8, alreadyThere: 0, failed: 1, unknown: 0, notSent: 0, skipped: 0 },
        failures: [{ ...one, message: "no", cause: "user-name-taken" }],
        problems: [],
        unknown: [],
        expected: 9,
        found: 7,
        missing: [one, { ...one, id: "u2" }],
        different: [{ ...one, id: "u3", fields: ["email"] }],
        differentCount: 1,
      }),
    );
    expect(text).toContain("Failed and different items 3 3 = 1 failed + 1 missing + 1 different");
  });

  test("of a migration: rows, hashes, rejects by reason in words, remarks and files", () => {
    const text = textOf(page(migrateValue));
    expect(text).toContain("1,000,000 read = 998,700 written + 1,300 rejected");
    expect(text).toContain("1,100 Not an e-mail address that the service accepts");
    expect(text).toContain("rejected 50 Not a password hash that the service can check");
    expect(text).toContain("33 users are blocked at the source");
    expect(text).toContain("importBody.json , 998,700 users, 312 MB");
    expect(text).toContain("1,074 more items are not listed here; all of them are in importBody.json.rejects");
  });

  test("of a migration with merged users: the sum counts rows, and not their reasons", () => {
    const text = textOf(page({ ...migrateValue, reasons: { ...migrateValue.reasons, "user.linked": 6 } }));
    // 1,300 users, 100 rows of passwords, and 900 without a user.
    expect(text).toContain("2,306 = 2,300 rejected + 6 merged");
  });

  test("of a comparison: what is missing, different and changed since, by line, and never a value", () => {
    const text = textOf(page(verifyValue));
    expect(text).toContain("120 expected = 118 found + 2 missing");
    expect(text).toContain("118 found = 114 identical + 3 differ, no fault + 1 different");
    expect(text).toContain("users with an e-mail sent or due 4");
    const calm = {
      ...verifyValue,
      exitCode: 0,
      found: 120,
      identical: 117,
      missing: [],
      different: [],
      differentCount: 0,
    };
    expect(textOf(page(calm))).toMatch(
      /120 found = 117 identical \+ 3 differ, no fault .*Differences that are no fault 3/,
    );
    expect(text).toContain("auth0|7 line 14 email, hash");
    expect(text).toMatch(/Imported correctly, then changed on the target\. .*auth0\|8 line 15 hash/);
    expect(text).toMatch(
      /is not verified in the input\. .*cannot become unverified\. .*auth0\|9 line 16 isEmailVerified/,
    );
  });

  test("of files and an organization: where from and where to, and the command above it", () => {
    const organizations = [{ orgId: "4007", name: "Acme" }];
    const html = page({ ...importValue, inputs: ["/home/ann/importBody.json", "b.json"], organizations });
    expect(html).toContain(
      '<p class="command">orgferry import</p><h1><bdi>importBody.json and 1 more file</bdi> → <bdi>Acme (4007)</bdi></h1>',
    );
    const several = { ...importValue, inputs: ["-"], organizations: [{ orgId: "1" }, ...organizations] };
    expect(textOf(page(several))).toContain("stdin → 2 organizations of example.zitadel.cloud");
    expect(textOf(page(several))).toContain("organizations organization 1, Acme (4007)");
    expect(page(importValue)).toContain("<h1>orgferry import</h1>");
    expect(textOf(page(exportValue))).toContain("old.example.com → export.json");
    expect(
      reportPage({ ...importValue, inputs: ["ann.json"], organizations } as AnyReport, { isAnonymous: true }),
    ).not.toMatch(/ann\.json|Acme|4007/);
  });

  test("of a run with one outcome and one number of a kind: sentences, no charts", () => {
    const users = { read: 9, sent: 9, created: 9, alreadyThere: 0, failed: 0, unknown: 0, notSent: 0, skipped: 0 };
    const plain = { ...importValue, exitCode: 0, users, failures: [], problems: [], unknown: [], sms: 0, mails: 0 };
    const html = page({
      ...plain,
      durationMs: 900,
      hashes: { bcrypt: 9 },
      otherObjects: { org: { created: 0, alreadyThere: 1 } },
      timeline: [0, 100, 200, 300].map((ms): [number, number] => [ms, ms]),
    });
    expect(html).not.toMatch(/<svg|<table|SMS/);
    const text = textOf(html);
    expect(text).toContain("9 read = 9 sent; 9 sent = 9 created.");
    expect(text).toContain("bcrypt hashes 9");
    expect(text).toContain("org already there 1");
  });

  test("of what users lose: before the remarks, with the flags that help; and the setting that the target needs", () => {
    const text = textOf(page({ ...migrateValue, hashes: { argon2: 9, bcrypt: 1 }, unverifiable: { pbkdf2: 4 } }));
    expect(text).toMatch(/What some users lose .*second factor.*not linked : google-oauth2 32, okta \(samlp\) 6 --idp/);
    expect(text.indexOf("What some users lose")).toBeLessThan(text.indexOf("33 users are blocked"));
    expect(text).toContain(
      "Required on the target: ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2 Not written: pbkdf2 4. To write these too",
    );
    expect(text).toContain("ZITADEL_SYSTEMDEFAULTS_PASSWORDHASHER_VERIFIERS=argon2,pbkdf2");
  });

  test("of what users lose, and of fields: the flags of the source that carry them over", () => {
    const carriedBy = { given_name: "--profile full", user_metadata: "--metadata user" };
    const text = textOf(page({ ...migrateValue, carriedBy }));
    expect(text).toMatch(/not carried : given_name 264 --profile full .* user_metadata 100 --metadata user /);
  });

  test("of failures: the most frequent reason first, and no line ends within a flag or a time", () => {
    const html = page(migrateValue);
    const times = [...html.matchAll(/rejected<\/span> <strong>([\d,]+)/g)].map(([, number]) => number);
    expect(times).toEqual(["1,100", "150", "50", "1"]);
    const one = { userId: "u1", fields: ["hash"], changedBy: { at: "2026-11-21T22:28:59Z" } };
    const conflict = page({ ...updateValue, update: { conflict: [one] } });
    expect(conflict).toContain('use <span class="whole">--prefer</span> source');
    expect(conflict).toContain('<span class="whole">2026-11-21 22:28 UTC</span>)');
  });

  test("of an import: how many created users cannot sign in before they have a password", () => {
    expect(textOf(page({ ...importValue, withoutPassword: 30 }))).toContain("created without password and link 30");
    expect(textOf(page({ ...exportValue, orgs: 1 }))).toMatch(/ organization 1 /);
    expect(textOf(page({ ...migrateValue, outputs: [{ path: "a.json", users: 1, bytes: 9 }] }))).toContain(
      "1 user, 9 B",
    );
  });

  test("of an interrupted run: that the outcome of some users is unknown", () => {
    const text = textOf(page({ ...importValue, exitCode: 130, failures: [], problems: [] }));
    expect(text).toContain("Items with an unknown outcome 1");
    expect(page(importValue)).toContain('<span class="whole">--html</span> report.html');
  });

  test("of an update: who is created, updated and deleted, with fields; an anonymous page lists no user", () => {
    const update = { create: ["u1"], update: [{ userId: "u2", fields: ["email"] }], delete: ["u3"], remake: [] };
    const value = { ...updateValue, update, loginNames: { u2: "ann@example.com" } };
    expect(textOf(page(value))).toMatch(
      /Changes, except what failed created 1 u1 updated 1 u2 ann@example\.com : email deleted 1 u3/,
    );
    expect(reportPage(value as AnyReport, { isAnonymous: true })).not.toMatch(/u[123]\b|ann@/);
  });

  test("of an update: which other objects stay different; an anonymous page has their numbers only", () => {
    const value = {
      ...updateValue,
      otherDifferences: [{ type: "project", id: "p1", orgId: "org1", fields: ["name"] }],
      otherDifferencesCount: 1,
      onlyOnTarget: [{ type: "userGrants", id: "p1_u1", orgId: "org1", userId: "u1" }],
      onlyOnTargetCount: 1_002,
    };
    const text = textOf(page(value));
    expect(text).toMatch(/1 other object is different on the target, .* project p1 of organization org1: name/);
    expect(text).toMatch(
      /1,002 grants, .* on the target only, .* role grant in project p1 of user u1 of organization org1 2 more are/,
    );
    const anonymous = textOf(reportPage(value as AnyReport, { isAnonymous: true }));
    expect(anonymous).toMatch(
      /1 other object is different .* 1,002 grants, project grants, triggers, lists of texts, memberships, links, keys or service users/,
    );
    expect(anonymous).not.toMatch(/p1|org1|u1\b/);
  });

  const before = { sent: 0, created: 0, alreadyThere: 0, failed: 0, unknown: 0 };

  test("of a dry run: that nothing was sent, and what would be done", () => {
    const users = { ...before, read: 10, notSent: 9, skipped: 1 };
    const found = { new: 5, alreadyThere: 1, elsewhere: 0, nameTaken: 3, removed: 0, withoutOrg: 0 };
    const foreseen = { orgs: [], users: found, nameTaken: ["u1"], missingIdps: [{ idpId: "google", links: 7 }] };
    const value = {
      ...importValue,
      exitCode: 1,
      dryRun: true,
      users,
      foreseen,
      failures: [],
      problems: [],
      unknown: [],
    };
    const text = textOf(page(value));
    expect(text).toContain("Dry run: nothing was sent; the run would end with exit code 1");
    expect(text).toContain("10 read = 9 would be sent + 1 skipped 9 would be sent = 5 would be created + 1 already");
    expect(text).toContain("3 would fail");
    expect(text).toMatch(/What would fail 4 .*1 An identity provider .* identity provider google 7 links/);
    expect(text).not.toMatch(/not sent|Done|Finished/);
    const anonymous = textOf(reportPage(value as AnyReport, { isAnonymous: true }));
    expect(anonymous).toContain("9 would be sent = 5 would be created");
    expect(anonymous).not.toMatch(/google|u1/);
    const good = { ...value, exitCode: 0, foreseen: undefined };
    expect(textOf(page(good))).toMatch(/Dry run: nothing was sent .*10 read = 9 would be sent \+ 1 skipped/);
  });

  test("of a dry run of an update, also an anonymous one: what would be created, updated and deleted", () => {
    const update = {
      create: ["u1", "u2"],
      update: [{ userId: "u3", fields: ["email"] }],
      delete: ["u4"],
      conflict: [{ userId: "u5", fields: ["hash"] }],
      unchanged: 6,
    };
    const foreseen = {
      orgs: [],
      users: { new: 1, alreadyThere: 8, elsewhere: 0, nameTaken: 1, removed: 0, withoutOrg: 0 },
    };
    const users = { ...before, read: 10, notSent: 10, skipped: 0 };
    const value = { ...updateValue, exitCode: 1, dryRun: true, users, deleted: 1, update, foreseen };
    for (const isAnonymous of [false, true]) {
      const text = textOf(reportPage(value as AnyReport, { isAnonymous }));
      expect(text).toContain("10 read = 3 would be sent + 6 unchanged + 1 conflict");
      expect(text).toContain("3 would be sent = 1 would be created + 1 would be updated + 1 would fail");
      expect(text).toContain("users that would be deleted 1");
      expect(text).toMatch(/What the run would change create 2 .*update 1 .*delete 1/);
      expect(/u[1-5]/.test(text)).toBe(!isAnonymous);
    }
  });

  test("of a dry run of undo: that no user was deleted", () => {
    const users = { listed: 3, removed: 0, alreadyGone: 0, kept: 1, failed: 0, unknown: 0, toRemove: 2 };
    const kept = [{ id: "u1", reason: "signed-in", line: 2 }];
    const text = textOf(
      page({ ...ENDED, command: "undo", exitCode: 1, durationMs: 9, dryRun: true, users, kept, problems: [] }),
    );
    expect(text).toContain("Dry run: no user was deleted; some users would be kept");
    expect(text).toContain("2 to delete = 2 would be deleted");
    expect(text).toContain("Users that would be kept 1");
  });

  test("of undo: how many users lose a removal of their rights, and who only if it names users", () => {
    const users = { listed: 2, removed: 2, alreadyGone: 0, kept: 0, failed: 0, unknown: 0, toRemove: 0 };
    const value = { ...ENDED, command: "undo", exitCode: 0, durationMs: 9, users, removedRights: ["u1"], problems: [] };
    for (const isAnonymous of [false, true]) {
      const text = textOf(reportPage(value as AnyReport, { isAnonymous }));
      expect(text).toContain("of 1 user of the manifest, and they come back if the users are created again");
      expect(text.includes("u1")).toBe(!isAnonymous);
    }
  });

  test("has its title in the tab, too", () => {
    const organizations = [{ orgId: "4007", name: "Acme" }];
    const html = page({ ...importValue, inputs: ["/home/ann/importBody.json"], organizations });
    expect(html).toContain("<title>importBody.json → Acme (4007) (orgferry import)</title>");
    expect(page(importValue)).toContain("<title>orgferry import: 12,345 users read, 10,400 created</title>");
  });

  test("of an export: what it holds and what none carries", () => {
    const text = textOf(page(exportValue));
    expect(text).toMatch(/35,000/);
    expect(text).toContain("global policies");
    expect(text).not.toContain("Failed items");
  });

  test("of a run that came to nothing: how it ended, and no empty headings", () => {
    const html = page({
      command: "import",
      version: "0.1.0",
      exitCode: 3,
      startedAt: "2026-11-21T22:28:19.000Z",
      durationMs: 3,
      problems: [{ code: "input.missing", message: "body.json: no such file." }],
    });
    expect(textOf(html)).toContain("Stopped: problem with a file");
    expect(textOf(html)).toContain("body.json: no such file.");
    expect(html).not.toContain("<h2");
  });

  test.each([
    [3, "run.too-many-mails", "Stopped: more e-mails than --max-mails allows"],
    [3, "run.declined", "Stopped: not confirmed"],
    [2, "usage.mails-not-confirmed", "Stopped: not confirmed"],
    [2, "usage.invalid", "Not started: invalid command line"],
  ])("of exit code %i for %s: what it means there", (exitCode, code, words) => {
    const { problems: _, resume: __, ...value } = importValue;
    expect(textOf(page({ ...value, exitCode, problems: [{ code, message: "why." }] }))).toContain(` ${words} `);
  });

  test("every number that can be linked to has its own line", () => {
    const html = page(importValue);
    const anchors = [...html.matchAll(/<li id="(f\d+)"/g)].map(([, id]) => id);
    expect(anchors).toEqual(["f1", "f2", "f3", "f4", "f5"]);
    for (const anchor of anchors) expect(html).toContain(`href="#${anchor}"`);
  });
});

describe("what a page prevents", () => {
  const evil = `"><img src=x onerror=alert(1)></q></li><script>alert(2)</script>'&`;
  const hostile = {
    ...importValue,
    target: evil,
    resume: evil,
    unknown: [evil],
    cannotSignIn: [evil],
    failures: [{ type: evil, id: evil, message: evil, cause: evil, file: evil, line: 1 }],
    otherObjects: { [evil]: { created: 1 } },
    hashes: { [evil]: 1 },
    reasons: { [evil]: 1 },
    notCarried: [evil],
    outputs: [{ path: evil, users: 1, bytes: 1, sha256: evil }],
    problems: [{ code: evil, message: evil, file: evil, field: evil }],
  };

  test("users who cannot sign in are listed, and users who are not listed by the target are counted", () => {
    const html = page({ ...importValue, cannotSignIn: ["u7"], cannotSignInCount: 3 });
    expect(html).toContain("3 cannot sign in");
    expect(html).toContain("finds no login name for the user");
  });

  test("nothing of what came from outside becomes markup", () => {
    const html = page(hostile);
    const known = page(importValue);
    const tags = (text: string): Set<string> =>
      new Set([...text.matchAll(/<(\/?[a-z][a-z0-9]*)/gi)].map(([, tag = ""]) => tag));
    for (const tag of tags(html)) expect([...tags(known), "ul", "/ul", "li", "/li", "br"]).toContain(tag);
    expect(html).not.toContain("<img");
    expect(html.match(/<script/g)).toHaveLength(1);
    expect(html).toContain("&lt;img src=x onerror=alert(1)&gt;");
  });

  test("the policy allows the page's own style and script, by their digests, and nothing else", () => {
    const html = page(hostile);
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1]?.replaceAll("&#39;", "'") ?? "";
    const sum = (tag: string): string => {
      const [, text = ""] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
      return createHash("sha256").update(text).digest("base64");
    };
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${sum("script")}'`);
    expect(policy).toContain(`style-src 'sha256-${sum("style")}'`);
    expect(policy).not.toContain("unsafe");
    expect(html).not.toMatch(/ (src|style|on\w+)="/);
    expect(html).not.toMatch(/(href|action)="(?!#f\d)/);
  });

  test("what looks like a hash or a token is not shown, wherever it stands", () => {
    const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const html = page({
      ...importValue,
      unknown: [`auth0|${hash}`],
      failures: [
        { type: "human_user", id: "u1", message: `said Bearer abcdefghijk.lmnop and ${hash}`, cause: "other" },
      ],
    });
    expect(html).not.toContain("C9hB01");
    expect(html).not.toContain("abcdefghijk");
    expect(html).toContain("auth0|(a hash, not shown)");
  });

  test("marks that turn the reading direction are written out", () => {
    expect(page({ ...importValue, unknown: ["abc\u202edef"] })).toContain("abc\\u{202e}def");
  });
});

describe("an anonymous page", () => {
  const anonymous = (value: object): string => reportPage(value as AnyReport, { isAnonymous: true });

  test("holds no id, no path and no word of the service, and the same numbers", () => {
    const cannotSignIn = { ...importValue, cannotSignIn: ["auth0|8"], cannotSignInCount: 3 };
    for (const value of [importValue, migrateValue, verifyValue, exportValue, cannotSignIn]) {
      const html = anonymous(value);
      expect(html).not.toMatch(/auth0\||users\.json|importBody|report\.html|export\.json|V3-DKcYh|Errors\.|g7|user 99/);
    }
    expect(textOf(anonymous(importValue))).toContain("11,004 sent = 10,400 created");
    expect(textOf(anonymous(cannotSignIn))).toContain("3 cannot sign in");
  });

  test("still names lines and reasons", () => {
    const text = textOf(anonymous(importValue));
    expect(text).toMatch(/Another user of the organization or instance has the user name\. .* line 17/);
    expect(text).toMatch(/Not an e-mail address that the service accepts\. .* line 77 humanUsers\.user\.email\.email/);
    expect(text).toContain("The run ended with net.timeout");
  });

  test("names no field that may be named after a person", () => {
    const value = {
      ...importValue,
      problems: [{ code: "field.missing", message: "m", line: 3, field: "ann@example.com" }],
    };
    expect(anonymous(value)).not.toContain("ann@");
  });
});
