import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";

const USUAL_PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Returns CHROMIUM_PATH, or the first path of the usual ones that exists. */
export function findChromium(): string | undefined {
  const given = process.env["CHROMIUM_PATH"];
  return given || USUAL_PLACES.find((place) => existsSync(place));
}

/** The reason why browser tests are skipped; false where there is a browser. */
export const skipWithoutChromium = findChromium()
  ? false
  : "no Chromium was found: install it or set CHROMIUM_PATH";

/** Launches Debian's Chromium so that it makes no request of its own. */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  const executablePath = findChromium();
  if (!executablePath) throw new Error("no Chromium was found");
  const args = ["no-sandbox", "disable-gpu", "disable-quic", "no-first-run", ...more];
  args.push("disable-background-networking", "disable-component-update", "disable-sync");
  return chromium.launch({ executablePath, args: args.map((one) => `--${one}`) });
}

/** A page has this long on a machine that does other things too. */
export const PATIENCE_MS = 60_000;

export type WatchedPage = {
  page: Page;
  /** All that must not happen on a page of ours: requests to other sites, breaches of its policy, errors. */
  faults: string[];
  close(): Promise<void>;
};

export async function openPage(
  browser: Browser,
  baseUrl: string,
  colorScheme: "light" | "dark",
): Promise<WatchedPage> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1_440, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (origin !== baseUrl && !["data:", "blob:"].includes(protocol)) faults.push(`asked ${request.url()}`);
  });
  page.on("pageerror", (error) => faults.push(`threw ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  return { page, faults, close: () => context.close() };
}

/** Whether all of it can be seen without scrolling sideways. */
export function fits(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth");
}

/** By axe's rules for WCAG 2.2 A and AA and its good practice, our own document only. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { passed, found } = await page.evaluate<{ passed: number; found: string[] }>(
    `axe.run(document, { iframes: false }).then(({ passes, violations }) => ({
      passed: passes.length,
      found: violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")),
    }))`,
  );
  assert.ok(passed >= 10, "axe has looked");
  return found;
}
