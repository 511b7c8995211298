import { existsSync } from "node:fs";
import { execa } from "execa";
import { expect, test } from "vitest";
import { human, startMock } from "../helpers/mock-client.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

const secrets = { hashedPassword: { value: "$2b$10$secret" }, otpCode: "OTPSECRET" };
const orgs = [
  {
    orgId: "1",
    org: { name: "<b>Acme</b> & sons" },
    humanUsers: [human("ada", secrets), human("bob", { profile: { firstName: "<script>", lastName: "Bob" } })],
    machineUsers: [{ userId: "m", user: { userName: "robot", name: "Robot" } }],
  },
];

async function startShown() {
  const client = await startMock();
  await client.importOrgs(...orgs);
  const page = async (query = "") => (await fetch(`${client.mock.url}/ui/console${query}`)).text();
  return { ...client, page };
}

test("the console lists organizations, users and events, with everything escaped", async () => {
  const { page } = await startShown();
  const html = await page();
  expect(html).toContain("<td>1</td><td>&lt;b&gt;Acme&lt;/b&gt; &amp; sons</td><td>3</td>");
  expect(html).toContain("<td>ada</td><td>ada@example.com</td><td>Ada Lovelace</td><td>ada@example.com</td><td>1</td>");
  expect(html).toContain("<td>robot</td><td>Robot</td>");
  expect(html).toContain("<td>user.human.added</td><td>bob</td>");
  expect(html).not.toContain("<script");
});

test("neither hashes nor OTP secrets are shown, and a search cannot guess them", async () => {
  const { page } = await startShown();
  expect(await page()).not.toMatch(/secret/i);
  for (const query of ["?q=$2b", "?q=otpsecret"]) expect(await page(query)).not.toContain("<td>ada</td>");
});

test("a search keeps what fits, whatever the case of its letters", async () => {
  const { page } = await startShown();
  const html = await page("?q=LOVELACE");
  expect(html).toContain("<td>ada</td>");
  expect(html).not.toContain("<td>bob</td>");
});

test.skipIf(browser === undefined)(
  `a real browser shows the page and its search (${browser ?? "skipped: no chromium is installed"})`,
  async () => {
    const { mock } = await startShown();
    const profile = tempDir();
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, "--dump-dom"];
    const { stdout } = await execa(browser ?? "", [...flags, `${mock.url}/ui/console?q=bob`], { timeout: 50_000 });
    const cells = [...stdout.matchAll(/<td>(.*?)<\/td>/g)].map(([, text]) => text);
    expect(stdout).toContain("<title>orgferry mock</title>");
    expect(cells).toContain("bob@example.com");
    expect(cells).toContain("&lt;script&gt; Bob");
    expect(cells).not.toContain("ada@example.com");
  },
);
