import { after, before, describe, test } from "node:test";
import { skipWithoutChromium } from "../support/browser.ts";
import { assertAccessible, type Dashboard, finish, MOST_MS, startDashboard } from "../support/dashboard.ts";
import { visitPages } from "../support/dashboard-pages.ts";
import { PASSWORD } from "../support/people.ts";

const WIDE = { width: 1_440, height: 900 };
const NARROW = { width: 360, height: 760 };

describe("every page of the dashboard, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await startDashboard();
  });
  after(() => dashboard?.stop());

  for (const scheme of ["light", "dark"] as const) {
    test(`is accessible in ${scheme} colours, fits on 360 pixels, and keeps to its own policy and origin`, async () => {
      const { baseUrl, setupLink, key } = dashboard.app;
      const watched = await dashboard.open("/sign-in", scheme);
      const { page } = watched;
      await visitPages({ page, baseUrl, setupLink, key, password: PASSWORD }, async (name) => {
        for (const viewport of [NARROW, WIDE]) {
          await page.setViewportSize(viewport);
          await assertAccessible(page, `${name} in ${scheme} at ${viewport.width} pixels`);
        }
      });
      await finish(watched);
    });
  }
});
