import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportPage } from "../../src/ui/html/page.ts";
import type { AnyReport } from "../../src/ui/report.ts";
import { browserPath, findBarriers, openBrowser } from "../helpers/browser.ts";
import { human, startMock } from "../helpers/mock-client.ts";
import { importValue, migrateValue } from "../helpers/report-values.ts";
import { tempDir } from "../helpers/temp-dir.ts";

// In a real browser; CHROMIUM names one that is not where one is looked for.
describe.skipIf(browserPath === undefined)("a report in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  const show = async (value: object, settings: object = {}) => {
    const path = join(tempDir(), "report.html");
    writeFileSync(path, reportPage(value as AnyReport, { isAnonymous: false }));
    const page = await browser.newPage(settings);
    const calls: string[] = [];
    page.on("request", (request) => calls.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    return { page, calls };
  };

  test.each([
    { width: 390, colorScheme: "dark" as const },
    { width: 1280, colorScheme: "light" as const },
  ])("has no barrier that axe knows, and fits, at $width pixels, $colorScheme", async ({ width, colorScheme }) => {
    // axe is put into the page from outside, which its policy forbids otherwise.
    const { page } = await show(importValue, { viewport: { width, height: 844 }, colorScheme, bypassCSP: true });
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.close();
  });

  test("keeps long settings, names and labels within a phone", async () => {
    const base = { ...migrateValue, problems: [], exitCode: 1 };
    const place = { name: "Login policy", page: "org-settings?id=login", state: "different", differences: 1 };
    const setting = "a.path.of.a.setting.without.any.place.to.break.the.line.at.all";
    const settings = [{ place: "Login policy", setting, source: "a".repeat(99), target: "1" }];
    const users = { read: 9, withPassword: 1, signsInOtherwise: 1, passwordSet: 1, invitedBefore: 1 };
    const others = { inactive: 1, gone: 1, otherPerson: 1, sent: 1, failed: 0, unknown: 0, toSend: 1 };
    for (const value of [
      { ...base, command: "diff", users: undefined, places: [place], settings },
      { ...base, command: "invite", users: { ...users, ...others } },
      { ...base, command: "invite", users: { ...users, ...others }, dryRun: true, exitCode: 0 },
    ]) {
      const { page } = await show(value, { viewport: { width: 390, height: 844 } });
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      const right =
        "Math.max(0, ...[...document.querySelectorAll('text')].map((text) => text.getBoundingClientRect().right))";
      expect(await page.evaluate(right)).toBeLessThanOrEqual(390);
      await page.close();
    }
  });

  test("searches line by line, by words and by kind, and finds what a link names", async () => {
    const { page, calls } = await show(migrateValue);
    const visible = () => page.locator("#findings li:not([hidden])").count();
    expect(await visible()).toBe(40);
    await page.fill("#words", "users.json:7 ");
    expect(await visible()).toBe(1);
    await page.fill("#words", "no such user");
    expect(await page.locator("#no-hit").isVisible()).toBe(true);
    expect(await page.locator("#hits").textContent()).toBe("0 of 40");
    await page.evaluate("location.hash = 'f12'");
    await page.waitForFunction("document.getElementById('f12').checkVisibility()");
    expect(await visible()).toBe(40);
    expect(calls).toHaveLength(1);
    await page.close();
  });

  test("runs nothing of what an id, a message or a path holds", async () => {
    const evil = `"><img src="x" onerror="document.title='run'"><script>document.title='run'</script>`;
    const failures = [{ type: evil, id: evil, message: evil, cause: evil, file: evil, line: 1 }];
    const { page, calls } = await show({ ...importValue, failures, resume: evil, target: evil });
    await page.evaluate("new Promise((done) => requestAnimationFrame(done))");
    expect(await page.title()).not.toBe("run");
    expect(await page.locator("#findings code").first().textContent()).toContain(evil);
    expect(calls).toHaveLength(1);
    await page.close();
  });

  test("opens the list that a link or a search leads into, and shows closed ones again", async () => {
    const { page } = await show(migrateValue);
    const open = () => page.locator("#findings details[open]").count();
    expect(await open()).toBe(0);
    await page.fill("#words", "duplicate user.name users.json:5");
    expect(await open()).toBe(0);
    await page.fill("#words", "duplicate users.json:5");
    expect([await open(), await page.locator("#hits").textContent()]).toEqual([1, "1 of 40"]);
    await page.fill("#words", "");
    expect(await open()).toBe(0);
    await page.evaluate("location.hash = 'f40'");
    await page.waitForFunction("document.getElementById('f40').checkVisibility()");
    expect(await open()).toBe(1);
    await page.close();
  });

  test("prints everything on A4", async () => {
    const { page } = await show(migrateValue);
    const pages = async () =>
      ((await page.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type \/Page\b/g) ?? []).length;
    expect(await pages()).toBeGreaterThan(2);
    expect(await page.locator("#findings details[open]").count()).toBe(0);
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator("details:not([open])").count()).toBe(0);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect(await page.locator("#search").isVisible()).toBe(false);
    await page.close();
  });
});

describe.skipIf(browserPath === undefined)("the console of the mock in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  async function startFilled() {
    const client = await startMock({ mimic: "v4", faults: [{ endpoint: "export", fault: "503", times: 1 }] });
    const bad = { profile: { firstName: "<script>alert(1)</script>", lastName: "Bob" } };
    const humanUsers = [human("bob", bad), ...Array.from({ length: 120 }, (_, at) => human(`user${at}`))];
    await client.importOrgs({ orgId: "1", org: { name: "Acme" }, humanUsers });
    return client.mock;
  }

  test.each([
    { view: "users", width: 390, colorScheme: "dark" as const },
    { view: "requests", width: 1280, colorScheme: "light" as const },
  ])(
    "has no barrier that axe knows, and fits: $view at $width pixels, $colorScheme",
    async ({ view, width, colorScheme }) => {
      const mock = await startFilled();
      const page = await browser.newPage({ viewport: { width, height: 844 }, colorScheme, bypassCSP: true });
      await page.goto(`${mock.url}/ui/console?view=${view}`);
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await page.close();
    },
  );

  test("is used with the keyboard alone: search, pages, and a fault", async () => {
    const mock = await startFilled();
    const page = await browser.newPage();
    await page.goto(mock.url);
    await page.focus("input[type=search]");
    await page.keyboard.type("user1");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=user1/);
    await page.getByRole("link", { name: /^Users/ }).press("Enter");
    await page.waitForURL(/view=users/);
    expect(await page.locator(".tabs [aria-current]").textContent()).toMatch(/^Users 3\d$/);
    await page.goto(`${mock.url}/ui/console?view=requests`);
    await page.selectOption("select[name=endpoint]", "import");
    await page.selectOption("select[name=fault]", "429");
    await page.focus("input[name=times]");
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await page.getByText("import:429").waitFor();
    expect(await page.locator("li").allTextContents()).toContainEqual(
      expect.stringContaining("import:429 has struck 0 of 0 calls, at most 2"),
    );
    await page.close();
  });
});
