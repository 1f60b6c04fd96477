import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { skipWithoutChromium } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { OWNER, visitPages } from "../support/dashboard-pages.ts";
import { PASSWORD } from "../support/people.ts";

const WIDE = { width: 1_440, height: 900 };
const NARROW = { width: 360, height: 760 };
/** What is cut off is so in all colours, so the narrow window is looked at once. */
const LOOKS = { light: [NARROW, WIDE], dark: [WIDE] };

const WATCH_SHIFTS = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { sources } of list.getEntries()) shifts.push(...sources.map(({ node }) => node?.outerHTML ?? "gone"));
}).observe({ type: "layout-shift", buffered: true });`;

describe("every page of the dashboard, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard?.stop());

  for (const scheme of ["light", "dark"] as const) {
    test(`is accessible in ${scheme} colours, fits, and keeps to its own policy and origin`, async () => {
      const { baseUrl, setupLink, key } = dashboard.app;
      const watched = await dashboard.open("/sign-in", scheme);
      const { page } = watched;
      await visitPages({ page, baseUrl, setupLink, key, password: PASSWORD }, async (name) => {
        for (const viewport of LOOKS[scheme]) {
          await page.setViewportSize(viewport);
          await assertAccessible(page, `${name} in ${scheme} at ${viewport.width} pixels`);
        }
      });
      await finish(watched);
    });
  }

  test("the table opens without anything that moves; its first paint on a slow processor is printed", async (t) => {
    const { baseUrl } = dashboard.app;
    const watched = await dashboard.open("/sign-in?from=/subscribers");
    const { page } = watched;
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Sign in");
    await page.getByText(/^\d+ subscribers$/).waitFor();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
    await devtools.send("Network.clearBrowserCache");
    await page.addInitScript(WATCH_SHIFTS);
    await page.goto(`${baseUrl}/subscribers`);
    await page.getByText(/^\d+ subscribers$/).waitFor();
    await page.waitForLoadState("networkidle");
    const { shifts, paint } = await page.evaluate<{ shifts: string[]; paint: number }>(
      `({ shifts, paint: performance.getEntriesByName("first-contentful-paint")[0].startTime })`,
    );
    t.diagnostic(`first contentful paint with a processor four times slower: ${Math.round(paint)} ms`);
    assert.deepEqual(shifts, []);
    await finish(watched);
  });
});
