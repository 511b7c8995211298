import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportPage } from "../../src/ui/html/page.ts";
import { browserPath, findBarriers, openBrowser } from "../helpers/browser.ts";
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
    writeFileSync(path, reportPage(value, { isAnonymous: false }));
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
    // axe is put into the page from outside, which its policy forbids to everybody else.
    const { page } = await show(importValue, { viewport: { width, height: 844 }, colorScheme, bypassCSP: true });
    expect(await findBarriers(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await page.close();
  });

  test("searches line by line, by words and by kind, and finds what a link names", async () => {
    const { page, calls } = await show(migrateValue);
    const visible = () => page.locator("#findings > li:visible").count();
    expect(await visible()).toBe(40);
    await page.fill("#words", "users.json:7 ");
    expect(await visible()).toBe(1);
    await page.fill("#words", "nobody at all");
    expect(await page.locator("#no-hit").isVisible()).toBe(true);
    expect(await page.locator("#hits").textContent()).toBe("0 of 40");
    await page.evaluate("location.hash = 'f12'");
    await page.waitForFunction("!document.getElementById('f12').hidden");
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
    expect(await page.locator("#findings code").first().textContent()).toBe(evil);
    expect(calls).toHaveLength(1);
    await page.close();
  });

  test("prints everything on A4", async () => {
    const { page } = await show(migrateValue);
    const pages = async () =>
      ((await page.pdf({ preferCSSPageSize: true })).toString("latin1").match(/\/Type \/Page\b/g) ?? []).length;
    expect(await pages()).toBeGreaterThan(2);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    expect(await page.evaluate("getComputedStyle(document.body).backgroundColor")).toBe("rgb(255, 255, 255)");
    expect(await page.locator("#search").isVisible()).toBe(false);
    await page.close();
  });
});
