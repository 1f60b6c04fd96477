/** Runs the built dashboard in a browser on a service of the test's own. */
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { createApp, type TestApp } from "./app.ts";
import { launchChromium, openPage, type WatchedPage } from "./browser.ts";
import { PASSWORD } from "./people.ts";

type Answer = Awaited<ReturnType<TestApp["api"]>>["body"];

export type Dashboard = {
  readonly app: TestApp;
  /** Asks the API with the key of the first start, and returns what it answers. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
  open(path: string, scheme?: "light" | "dark"): Promise<WatchedPage>;
  /** Makes the owner by the link of the first start, and returns a page on which they are signed in, at that address. */
  openAsOwner(start?: string): Promise<WatchedPage>;
  stop(): Promise<void>;
};

/** A whole suite has this long, for it has one service and one browser for all its tests. */
export const MOST_MS = 300_000;

export const OWNER = "owner@example.com";

export async function startDashboard(settings: Record<string, string> = {}): Promise<Dashboard> {
  const app = await createApp({ settings });
  const browser: Browser = await launchChromium();
  const open: Dashboard["open"] = async (path, scheme = "light") => {
    const watched = await openPage(browser, app.baseUrl, scheme);
    await watched.page.goto(path.startsWith("http") ? path : app.baseUrl + path);
    return watched;
  };
  return {
    app,
    ask: async (method, path, body) => (await app.api(method, path, body === undefined ? {} : { body })).body,
    open,
    async openAsOwner(start = "/subscribers") {
      const watched = await open(app.setupLink);
      await watched.page.getByLabel("E-mail address").fill(OWNER);
      await watched.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await press(watched.page, "Open the dashboard");
      await watched.page.waitForURL(`${app.baseUrl}/`);
      await watched.page.goto(app.baseUrl + start);
      await watched.page.getByRole("heading", { level: 1 }).waitFor();
      return watched;
    },
    async stop() {
      await browser.close();
      await app.stop();
    },
  };
}

export const press = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name }).first().click();

/** A message with a way back goes by itself after some seconds, unless the pointer is over it. */
export const holdUndo = (page: Page) => page.getByRole("button", { name: "Undo" }).first().hover();

/** Closes the page. A refused request is shown in the console as an error; anything else there is a fault of ours. */
export async function finish({ faults, close }: WatchedPage): Promise<void> {
  await close();
  assert.deepEqual(
    faults.filter((fault) => !/Failed to load resource.* ([45]\d\d|net::ERR_)/.test(fault)),
    [],
  );
}

/**
 * Colours that still fade in have too little contrast; what moves without end, such as a skeleton, isn't awaited. What moves may begin with the
 * next frame, and one that is replaced by another, as under a pointer, ends early.
 */
const MOTION_ENDS = `(async () => {
  const isMoving = ({ playState, effect }) =>
    playState === "running" && Number.isFinite(effect?.getComputedTiming().endTime);
  for (;;) {
    await new Promise((go) => { requestAnimationFrame(() => setTimeout(go)); setTimeout(go, 1_000); });
    const moving = document.getAnimations().filter(isMoving);
    if (moving.length === 0) return;
    await Promise.allSettled(moving.map((animation) => animation.finished));
  }
})()`;

/** By axe's rules for WCAG 2.2 A and AA, and by our own: nothing is cut off at the side. */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  await page.evaluate(MOTION_ENDS);
  // The looks at one page share the script, and of what is well only the rules are counted, for both take long.
  // Frames hold mails and have no axe, for which it would wait in vain. The guards around an open menu hand the focus on.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe.source);
  const { passed, found } = await page.evaluate<{ passed: number; found: string[] }>(
    `axe.run({ exclude: [["[data-base-ui-focus-guard]"]] }, { iframes: false, resultTypes: ["violations"] }).then(({ passes, violations }) => ({
      passed: passes.length,
      found: violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => id + ": " + html + " " + failureSummary)),
    }))`,
  );
  assert.ok(passed >= 10, "axe has looked");
  assert.deepEqual(found, [], name);
  const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  assert.ok(Number(overflow) <= 0, `${name} is ${overflow} px too wide`);
}
