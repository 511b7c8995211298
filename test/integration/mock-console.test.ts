import { expect, test } from "vitest";
import { human, startMock } from "../helpers/mock-client.ts";

const HASH = "$2b$10$C9hB01.YxRSTcn/ZOOo4j.TW7xCKKFKBSF.C7E0xiUwumqIDqWUXG";
const secrets = { hashedPassword: { value: HASH }, otpCode: "OTPSECRET" };
const orgs = [
  {
    orgId: "1",
    org: { name: "<b>Acme</b> & sons" },
    humanUsers: [human("ada", secrets), human("bob", { profile: { firstName: "<script>", lastName: "Bob" } })],
    machineUsers: [{ userId: "m", user: { userName: "robot", name: "Robot" } }],
  },
];

async function startShown(options: Parameters<typeof startMock>[0] = {}) {
  const client = await startMock(options);
  await client.importOrgs(...orgs);
  const page = async (query = "") => (await fetch(`${client.mock.url}/ui/console${query}`)).text();
  return { ...client, page };
}

/** What is read: without markup. */
const textOf = (html: string): string =>
  html
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ");

const rowsOf = (html: string): number => (html.match(/<tr><th scope="row">/g) ?? []).length;

test("/ leads to the console, which shows the address and the contents of the instance", async () => {
  const { mock } = await startShown();
  const answer = await fetch(`${mock.url}/`);
  expect(answer.url).toBe(`${mock.url}/ui/console`);
  const html = await answer.text();
  expect(textOf(html)).toContain(`${mock.url} · 1 organization · 3 users`);
  expect(html).toContain('<meta name="viewport"');
});

test("organizations, users with state, verified address, algorithm and mails, and events are shown with everything escaped", async () => {
  const { page } = await startShown({ mimic: "v4" });
  const orgPage = await page();
  expect(orgPage).toContain("&lt;b&gt;Acme&lt;/b&gt; &amp; sons");
  expect(textOf(orgPage)).toContain("2 users 1 0");
  const users = await page("?view=users");
  expect(textOf(users)).toMatch(
    /ada@example\.com Ada Lovelace ada ada@example\.com (not )?verified active bcrypt \d+ /,
  );
  expect(textOf(users)).toMatch(/bob@example\.com (not )?verified initial none 1 /);
  expect(textOf(users)).toContain("machine user active");
  expect(await page("?view=events")).toContain("<code>user.human.added</code>");
  expect(textOf(await page("?view=mails"))).toMatch(/bob@example\.com e-mail initialization bob/);
  for (const html of [orgPage, users]) expect(html).not.toContain("<script");
});

test("a hash of no known form is not shown either, also where it begins like one", async () => {
  const { importOrgs, page } = await startShown();
  const odd = [
    "$hunter2isNoHash",
    "{hunter2}abc",
    "$2b10hunter2",
    "hunter2",
    "$argon2id$v=19$hunter2",
    "{SSHA}hunter2",
  ];
  await importOrgs({
    orgId: "1",
    humanUsers: odd.map((value, at) => human(`odd${at}`, { hashedPassword: { value } })),
  });
  const users = await page("?view=users&q=odd");
  expect(users).not.toContain("hunter2");
  expect([...users.matchAll(/data-head="Hash">([^<]*)</g)].map(([, name]) => name)).toEqual([
    ...["unknown", "unknown", "unknown", "unknown", "argon2id", "ssha"],
  ]);
});

test("people are found by the id of their organization", async () => {
  const { importOrgs, page } = await startShown();
  await importOrgs({ orgId: "4711", org: { name: "Other" }, humanUsers: [human("zoe")] });
  expect(rowsOf(await page("?view=users&q=4711"))).toBe(1);
});

test("neither hashes nor OTP secrets are shown, and a search cannot guess them", async () => {
  const { page } = await startShown();
  for (const view of ["orgs", "users", "events", "mails", "requests"]) {
    const html = await page(`?view=${view}`);
    expect(html).not.toContain("C9hB01");
    expect(html).not.toContain("OTPSECRET");
  }
  for (const query of ["?q=$2b", "?q=otpsecret"]) expect(await page(query)).not.toContain("<bdi>ada");
});

test("a search covers every view, in any case: each tab has its number of matches", async () => {
  const { page } = await startShown();
  const html = await page("?q=LOVELACE");
  expect(html).toContain("<bdi>ada@example.com</bdi>");
  expect(html).not.toContain("<bdi>bob@example.com</bdi>");
  expect(textOf(html)).toContain("Organizations 0 Users 1 Events 0");
  expect(textOf(await page("?q=unknown"))).toContain("No matches");
});

test("5,000 users are turned page by page", async () => {
  const { page, importOrgs } = await startShown();
  const humanUsers = Array.from({ length: 5_000 }, (_, at) => human(`n${String(at).padStart(4, "0")}`));
  await importOrgs({ orgId: "2", org: { name: "Many" }, humanUsers });
  const first = await page("?view=users&org=2");
  expect(rowsOf(first)).toBe(50);
  expect(textOf(first)).toContain("first previous 1–50 of 5,000 next last");
  expect(first).toContain('href="/ui/console?view=users&amp;org=2&amp;page=100"');
  const last = await page("?view=users&org=2&page=100");
  expect(last).toContain("n4999");
  expect(textOf(last)).toContain("4,951–5,000 of 5,000");
  expect(textOf(await page("?view=users&org=2&page=9999"))).toContain("4,951–5,000 of 5,000");
  expect(rowsOf(await page("?view=users&q=n123"))).toBe(10);
});

test("an empty view says which command fills it", async () => {
  const { mock } = await startMock();
  const page = async (view: string) => (await fetch(`${mock.url}/ui/console?view=${view}`)).text();
  for (const view of ["orgs", "users", "events", "mails", "requests"]) expect(await page(view)).toContain("orgferry ");
  expect(await page("users")).toContain(
    `export ZITADEL_IMPORT_DOMAIN=${mock.url} PAT_IMPORT_TOKEN=…\norgferry import importBody.json`,
  );
});

test("faults are set and removed from the page, and what is wrong with one is said", async () => {
  const { mock, page, post } = await startShown();
  const send = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(`${mock.url}/ui/console/faults`, { method: "POST", body: new URLSearchParams(form), headers });
  const set = await send({ endpoint: "events", fault: "502", times: "1", skip: "", delay: "", retryAfter: "" });
  expect(set.url).toBe(`${mock.url}/ui/console?view=requests`);
  expect(textOf(await set.text())).toContain("events:502 has struck 0 of 0 calls, at most 1");
  expect((await post("/admin/v1/events/_search", {})).status).toBe(502);
  expect(textOf(await page("?view=requests"))).toMatch(/POST \/admin\/v1\/events\/_search 502/);
  const wrong = await send({ endpoint: "events", fault: "latency", delay: "soon" });
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain("delay: must be a duration");
  expect(textOf(await (await send({ clear: "yes" })).text())).toContain("None: every call gets its ordinary answer");
  // A page of elsewhere must not steer it.
  expect((await send({ clear: "yes" }, { origin: "http://elsewhere.example" })).status).toBe(403);
});

test("the policy allows the console's own style and nothing else", async () => {
  const { mock } = await startShown();
  const { headers } = await fetch(`${mock.url}/ui/console`);
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self';/,
  );
});
