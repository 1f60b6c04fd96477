import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { skipWithoutChromium } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, startDashboard } from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";
import { comeIn } from "../support/dashboard-pages.ts";
import { fill } from "../support/dashboard-pages-data.ts";
import { PASSWORD } from "../support/people.ts";

const WATCH_SHIFTS = `globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { sources } of list.getEntries()) shifts.push(...sources.map(({ node }) => node?.outerHTML ?? "gone"));
}).observe({ type: "layout-shift", buffered: true });`;

describe("coming into the dashboard, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard?.stop());

  const visit = async () => {
    const { baseUrl, setupLink, key } = dashboard.app;
    const watched = await dashboard.open("/sign-in");
    return { watched, page: watched.page, baseUrl, setupLink, key, password: PASSWORD };
  };

  for (const who of ["the first", "the next"])
    test(`is accessible to ${who} who comes, and fits`, async () => {
      const coming = await visit();
      await comeIn(coming, (name) => assertLooks(coming.page, name));
      await finish(coming.watched);
    });

  test("the table opens without anything that moves; its first paint on a slow processor is printed", async (t) => {
    const coming = await visit();
    const { page, baseUrl, watched } = coming;
    await comeIn(coming, async () => {});
    await fill(coming);
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
