import { existsSync } from "node:fs";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
];

/** The browser of this machine; undefined where there is none, and tests that need one are skipped. */
export const browserPath = [process.env["CHROMIUM"], ...PLACES].find((path) => path !== undefined && existsSync(path));

export async function openBrowser(): Promise<Browser> {
  if (browserPath === undefined) throw new Error("no browser");
  return chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
}

/** What axe finds against WCAG 2.2 AA and its own best practice, in words: nothing, on a good page. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // Put there by the line above; the page's own types know nothing of it.
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = "" }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}
