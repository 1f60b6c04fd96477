import { after, before, describe, test } from "node:test";
import { skipWithoutChromium } from "../support/browser.ts";
import { assertAccessible, type Dashboard, finish, MOST_MS, startDashboard } from "../support/dashboard.ts";
import { visitPages } from "../support/dashboard-pages.ts";
import { PASSWORD } from "../support/people.ts";

const WIDE = { width: 1_440, height: 900 };
const NARROW = { width: 360, height: 760 };
/** What is cut off is so in all colours, so the narrow window is looked at once. */
const LOOKS = { light: [NARROW, WIDE], dark: [WIDE] };

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
});
