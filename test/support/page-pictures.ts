/** Looks at a page in both colours, wide and narrow. With PICTURES=folder it also keeps a picture of each. */
import type { Page } from "playwright-core";
import { assertAccessible } from "./dashboard.ts";

const WIDE = 1_440;
const WIDTHS = [WIDE, 360];

export async function lookAt(page: Page, name: string): Promise<void> {
  const folder = process.env["PICTURES"];
  for (const colorScheme of ["dark", "light"] as const)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
      if (folder)
        await page.screenshot({ path: `${folder}/${name}-${colorScheme}-${width}.png`, fullPage: true });
    }
  await page.setViewportSize({ width: WIDE, height: 900 });
}
