import { describe, expect, test } from "vitest";
import { annotationLines, jobSummary, maskLine } from "../../../../src/ui/machine/github.ts";
import type { AnyReport, ListedProblem } from "../../../../src/ui/report.ts";
import { ENDED } from "../../../helpers/report-values.ts";

function report({
  problems = [],
  ...given
}: {
  readonly problems?: readonly (Omit<ListedProblem, "code"> & { readonly code?: string })[];
  readonly [field: string]: unknown;
}): AnyReport {
  const listed = problems.map((problem) => ({ code: "row.malformed", ...problem }));
  return { ...ENDED, command: "import", exitCode: 1, durationMs: 12_000, ...given, problems: listed } as AnyReport;
}

function failures(number: number): readonly object[] {
  return Array.from({ length: number }, (_, at) => {
    return { type: "human_user", id: `u${at + 1}`, message: "taken", file: "b.json", line: at + 1 };
  });
}

describe("annotations", () => {
  test("there are none for a run that went well", () => {
    expect(annotationLines(report({ exitCode: 0, problems: [{ message: "x" }] }))).toEqual([]);
  });

  test("of what a run leaves are warnings, also if it went well, and come after the errors", () => {
    const heldBack = [
      {
        type: "userGrants",
        id: "p1_u7",
        orgId: "o1",
        userId: "u7",
        roleKeys: ["reader"],
        cause: "taken-away" as const,
      },
    ];
    const given = {
      ...{ heldBack, heldBackCauses: { "taken-away": 12 }, onlyOnTargetCount: 1, otherDifferencesCount: 2 },
      onlyOnTarget: [{ type: "userMetadata", id: "u8_plan", userId: "u8" }],
      otherDifferences: [{ type: "projects", id: "p1", fields: ["name"] }],
      update: { notOurs: ["u9"] },
      loginNames: { u7: "ann@example.com", u9: "eve@example.com" },
    };
    const lines = annotationLines(report({ exitCode: 0, ...given }));
    expect(lines).toEqual([
      expect.stringMatching(
        /^::warning::1 user deleted at the source stays on the target, .*%0A +u9 \(eve@example\.com\)$/,
      ),
      expect.stringMatching(/^::warning::2 other objects are different .*%0A +project p1: name$/),
      expect.stringMatching(
        /^::warning::1 grant, project grant, trigger, list of texts, membership, link, key or service user .*%0A +metadata plan of user u8$/,
      ),
      expect.stringMatching(
        /^::warning::12 entries .* removed it on the target\. .*%0A +role grant in project p1 of user u7 \(ann@example\.com\) of organization o1 \(in the input: role reader\)%0A.* 2 more; --report/,
      ),
    ]);
    const failing = annotationLines(report({ ...given, failures: failures(8) }));
    expect(failing.map((line) => line.split("::")[1]?.split(" ")[0])).toEqual([
      ...Array.from({ length: 8 }, () => "error"),
      ...["warning", "warning"],
    ]);
    expect(failing.slice(0, 9).join()).not.toContain("more annotation");
    expect(failing.at(-1)).toMatch(/%0A… and 2 more annotations; the summary of the job has the reasons$/);
  });

  test("of users that stay give the reason of each, grouped", () => {
    const update = { notOurs: ["u1", "u2", "u3", "u4"], otherPerson: ["u2"], protected: ["u3", "u5"] };
    const stays = "deleted at the source stays on the target, because";
    expect(annotationLines(report({ exitCode: 0, update }))).toEqual([
      "::warning::2 users deleted at the source stay on the target, because the service user of this run did not create the account there. To delete such an account, do it by hand, or run with the token of the service user that copied it.%0A          u1%0A          u4",
      `::warning::1 user ${stays} the account there was created for another person. To delete such an account, do it by hand.%0A          u2`,
      `::warning::1 user ${stays} the user has a role on the instance there, or is a service user of this job. To delete such an account, do it by hand.%0A          u3`,
    ]);
  });

  test("of role grants that are inactive at the source do not exist: a copy leaves them out", () => {
    const grant = { type: "user_grant" as const, id: "g1", orgId: "o1", userId: "u1", projectId: "p1" };
    const project = { type: "project" as const, id: "p2", orgId: "o1" };
    const lines = (inactive: readonly object[]) =>
      annotationLines(report({ exitCode: 0, command: "copy", export: { inactive } } as Partial<AnyReport>));
    expect(lines([grant])).toEqual([]);
    expect(lines([grant, project])).toEqual([expect.stringMatching(/^::warning::1 role grant, 1 project are/)]);
  });

  test("name file and line, with what would end them written out", () => {
    const problems = [{ message: "100 % wrong\nsecond: line", file: "a,b:c.json", line: 3 }];
    expect(annotationLines(report({ problems }))).toEqual([
      "::error file=a%2Cb%3Ac.json,line=3::100 %25 wrong%0Asecond: line",
    ]);
  });

  test("of stdin there is no file to name", () => {
    const problems = [{ message: "broken", file: "-", line: 3 }];
    expect(annotationLines(report({ problems }))).toEqual(["::error::broken"]);
  });

  test("the problem that ended the run comes first", () => {
    const problems = [
      { message: "row", file: "a", line: 1 },
      { code: "net.timeout", message: "the end" },
    ];
    expect(annotationLines(report({ problems }))).toEqual(["::error::the end", "::error file=a,line=1::row"]);
  });

  test.each([
    [1, 1, '::error file=b.json,line=1::failed: u1 (anna@example.com), b.json:1: "taken": The service rejected it.'],
    [10, 10, '::error file=b.json,line=10::failed: u10, b.json:10: "taken": The service rejected it.'],
  ])("%i failures are %i lines", (failed, expected, last) => {
    const lines = annotationLines(report({ failures: failures(failed), loginNames: { u1: "anna@example.com" } }));
    expect(lines).toHaveLength(expected);
    expect(lines.at(-1)).toBe(last);
  });

  test("failures that are too many are one annotation for each reason", () => {
    const listed = [...failures(1_000), { ...failures(1)[0], id: "x", cause: "phone" }];
    const lines = annotationLines(report({ failures: listed, failureCauses: { other: 1_234, phone: 1 } }));
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^::error file=b\.json,line=1::1,234 failed: The service rejected it\.%0Au1, b\.json:1: "taken"%0A/,
    );
    expect(lines[0]).toMatch(/%0Au10, b\.json:10: "taken"%0A… and 1,224 more; --report lists them$/);
    expect(lines[1]).toContain(
      "1 failed: Invalid phone number. Write it in full, for example +41791234567, or remove it.",
    );
  });

  test.each(["-", "export of old.example.com:8080"])("%s is no file of the repository", (file) => {
    const failures = [{ type: "human_user", id: "u1", message: "taken", cause: "other", file, line: 3 }];
    expect(annotationLines(report({ failures }))[0]).toMatch(/^::error::failed: u1/);
  });

  test("what a comparison misses is named", () => {
    const missing = [{ type: "user", id: "u1", line: 4 }];
    const different = [{ type: "user", id: "u2", fields: ["email", "hash"] }];
    expect(annotationLines(report({ missing, different }))).toEqual([
      "::error::missing: u1, line 4: Not on the target. Import the file again, or repeat the copy: existing objects are not created twice. What another account removed on the target stays removed.",
      "::error::different: u2: email, hash: Different on the target. To bring users to what the file says: import with --update.",
    ]);
  });

  test("a conflict names the user, the fields, and what decides", () => {
    const update = { conflict: [{ userId: "u1", fields: ["firstName", "lastName"] }], tooMany: ["u7", "u8"] };
    expect(annotationLines(report({ update, loginNames: { u1: "anna@example.com" } }))).toEqual([
      "::error::conflict: u1 (anna@example.com): firstName, lastName: Changed on the target by another user, and not overwritten. To take the source's values for some users, use --prefer source --only <id>. To keep the target's, use --prefer target for all users in each run, or make the same change at the source: the next change there is a conflict again.",
      "::error::not deleted: u7: Deleted at the source, more users of an organization than --max-deletes allows (without the flag: 1 in 100, at least 10), so no user was deleted. If they are right, use --max-deletes 2.",
      "::error::not deleted: u8: Deleted at the source, more users of an organization than --max-deletes allows (without the flag: 1 in 100, at least 10), so no user was deleted. If they are right, use --max-deletes 2.",
    ]);
  });

  test("a conflict of a password has an advice of its own: a hash is never the same", () => {
    const conflict = [
      { userId: "u1", fields: ["email", "hash"] },
      { userId: "u2", fields: ["email"] },
      { userId: "u3", fields: ["hash"], reason: "never-finished" },
    ];
    const [other, password, unfinished] = annotationLines(report({ update: { conflict } }));
    expect(other).toMatch(/^::error::conflict: u2: email: .* make the same change at the source/);
    expect(password).toMatch(
      /^::error::conflict: u1: email, hash: Password changed on the target.* --prefer source --only <id>/,
    );
    expect(password).not.toContain("make the same change");
    expect(unfinished).toContain("never finished registration");
  });

  test("OTP secrets that an export from events lacks are a reason, of an export and of a copy", () => {
    const unread = { otpSecrets: 3, clientSecrets: 0, laterEvents: 0 };
    const line =
      "::error::3 OTP secrets lost: The export from the event log lacks the OTP secrets of these users. They must set up OTP again.";
    for (const given of [report({ unread }), report({ export: { unread } as never })]) {
      expect(annotationLines(given)).toEqual([line]);
      expect(jobSummary(given)).toContain("lacks the OTP secrets");
    }
  });

  test("an id that is the name of a JavaScript property has no login name", () => {
    const update = { conflict: [{ userId: "constructor", fields: ["email"] }] };
    expect(annotationLines(report({ update, loginNames: {} }))[0]).toContain("conflict: constructor: email:");
  });

  test("an id that is a password hash is not shown, neither beside the log nor on the job's page", () => {
    const hash = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
    const taken = [{ type: "human_user", id: hash, message: `${hash} is taken` }];
    const given = report({ problems: [{ message: `no ${hash}` }], failures: taken, target: hash });
    for (const text of [...annotationLines(given), jobSummary(given)]) {
      expect(text).toContain("a hash, not shown");
      expect(text).not.toContain("C9hB01");
    }
  });

  test("a service's words are no command to the runner", () => {
    const problems = [{ message: "x\n::set-output name=a::b\u001b[2J" }];
    const [line = ""] = annotationLines(report({ problems }));
    expect(line.split("\n")).toHaveLength(1);
    expect(line).not.toContain("\u001b");
  });
});

test("a secret is announced to the runner in one line", () => {
  expect(maskLine("pat%1")).toBe("::add-mask::pat%251");
});

describe("the summary", () => {
  test("says reasons in words, with their rows", () => {
    const problems = [
      { code: "field.email", message: "a.json:3: email: not an address", file: "a.json", line: 3, field: "email" },
    ];
    const text = jobSummary(report({ problems, reasons: { "field.email": 2 } }));
    expect(text).toContain("- 2 rejected: Not an e-mail address that the service accepts.\n");
    expect(text).toContain("  - a.json:3: email: not an address\n  - … and 1 more; --report lists them\n");
  });

  test("has the numbers in words, and the first failures with what to do", () => {
    const failed = [
      { type: "human_user", id: "u|1", message: "<b>taken</b> `now`", file: "b.json", line: 2, cause: "other" },
      { type: "human_user", id: "u2", message: "AlreadyExists", file: "b.json", line: 3, cause: "user-name-taken" },
    ];
    const users = { read: 5_000, sent: 5_000, created: 4_998, failed: 2, alreadyThere: 0, unknown: 0 };
    const text = jobSummary(
      report({
        target: "example.com",
        mails: 1_200,
        users,
        otherDifferencesCount: 0,
        failures: failed,
        loginNames: { u2: "anna" },
      }),
    );
    expect(text).toBe(`### orgferry import: ❌ exit 1 (12 s)

|  |  |
| --- | ---: |
| target | example.com |
| users read | 5,000 |
| users sent | 5,000 |
| users created | 4,998 |
| users failed | 2 |
| e-mails at most | 1,200 |

- 1 failed: The service rejected it.
  - u\\|1, b.json:2: "\\<b\\>taken\\</b\\> \\\`now\\\`"
- 1 failed: Another user of the organization or instance has the user name. If both are one person, and the address of the existing user is verified, write the id of that user into the input file, and import with --update; for a copy, delete one of the two accounts. If they are two people, change one of the two user names. If two users exchange their names, give one of them a third name in the source for one run.
  - u2 (anna), b.json:3
`);
  });

  test("has the other objects that were created, failed or were not sent, or that a dry run found to be missing", () => {
    const none = { created: 0, alreadyThere: 4, failed: 0 };
    const otherObjects = {
      project: { ...none, created: 2 },
      user_grant: { ...none, failed: 1, heldBack: 3 },
      org: none,
    };
    const rows = (given: object): readonly string[] =>
      jobSummary(report({ exitCode: 0, command: "copy", ...given })).match(/^\| [a-z ]+ \| \d+ \|$/gm) ?? [];
    expect(rows({ otherObjects })).toEqual([
      "| project created | 2 |",
      "| user grant failed | 1 |",
      "| user grant not sent | 3 |",
    ]);
    expect(rows({ missingObjects: { user_grant: 3 } })).toEqual(["| user grant not on the target | 3 |"]);
  });

  test.each([
    [{ state: "used" }, undefined],
    [{ state: "none" }, undefined],
    [{ state: "broken" }, "the state file is damaged; comparing all users."],
    [{ state: "used", killedRun: "2026-01-02T03:04:05Z" }, "the run of 2026-01-02 03:04 UTC ended without a result."],
  ])("and a warning tell of a state file that was not used, and of a killed run: %j", (given, expected) => {
    const value = report({ exitCode: 0, command: "copy", ...given });
    const [line] = annotationLines(value);
    expect(jobSummary(value).split("\n- ")[1]?.slice(0, expected?.length)).toBe(expected);
    expect(line?.slice("::warning::".length, "::warning::".length + (expected?.length ?? 0))).toBe(expected);
  });

  test("has the warnings of the terminal that it does not have otherwise, closed", () => {
    const state = { command: "copy", exitCode: 0, state: "broken" };
    const warnings = [
      "the state file is damaged; comparing all users.",
      'organization o1 is called "Beta Two" in the input\n          <b>o1</b>',
    ];
    const text = jobSummary(report({ ...state, warnings }));
    expect(text.split("the state file is damaged")).toHaveLength(2);
    expect(text).toContain(`
<details><summary>Warnings of the terminal (1)</summary>

- organization o1 is called "Beta Two" in the input
  - \\<b\\>o1\\</b\\>

</details>
`);
    expect(jobSummary(report({ ...state, warnings: warnings.slice(0, 1) }))).not.toContain("<details>");
  });

  test("of a run that went well says so", () => {
    expect(jobSummary(report({ exitCode: 0 }))).toContain("### orgferry import: ✅ done (12 s)");
  });
});
