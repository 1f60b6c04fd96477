/** Looks at a part of the pages of the dashboard in all their looks, each page visited once. */
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "./browser.ts";
import { assertAccessible, type Dashboard, finish, MOST_MS, startDashboard } from "./dashboard.ts";
import { comeIn, PARTS } from "./dashboard-pages.ts";
import { PASSWORD } from "./people.ts";

const WIDE = { width: 1_440, height: 900 };
const NARROW = { width: 360, height: 760 };
/** What is cut off is so in all colours, so the narrow window is looked at once. */
const LOOKS = [
  { colorScheme: "light", viewport: NARROW },
  { colorScheme: "dark", viewport: WIDE },
  { colorScheme: "light", viewport: WIDE },
] as const;

/** Each part has a test file of its own, since a file has two minutes. */
export function testLooks(part: keyof typeof PARTS): void {
  describe(`the pages of ${part}, in a browser`, { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
    let dashboard: Dashboard;
    before(async () => {
      dashboard = await startDashboard();
    });
    after(() => dashboard?.stop());

    test("are accessible in light and dark, fit, and keep to their own policy and origin", async () => {
      const { baseUrl, setupLink, key } = dashboard.app;
      const watched = await dashboard.open("/sign-in");
      const { page } = watched;
      const visit = { page, baseUrl, setupLink, key, password: PASSWORD };
      await comeIn(visit, async () => {});
      await PARTS[part](visit, (name) => assertLooks(page, name));
      await finish(watched);
    });
  });
}

export async function assertLooks(page: Page, name: string): Promise<void> {
  for (const { colorScheme, viewport } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await assertAccessible(page, `${name} in ${colorScheme} at ${viewport.width} pixels`);
  }
}
