// Makes a picture of every page of the dashboard into screenshots/, wide and narrow, light and dark: `npm run screenshots`.
// With `--readme` it makes the six of the README instead (readme-pictures.ts), and with `--mails` those of mails made of blocks, which a
// test compares (test/pictures/).
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { makeFresh } from "../src/dashboard/build.ts";
import { launchChromium } from "../test/support/browser.ts";
import { visitPages } from "../test/support/dashboard-pages.ts";
import { makeMailPictures } from "../test/support/mail-pictures/kept.ts";
import { keyIn, makeInstallation } from "../test/support/process.ts";
import { makeReadmePictures } from "./readme-pictures.ts";

const FOLDER = join(import.meta.dirname, "..", "screenshots");
const PASSWORD = "correct horse battery staple";
const SIZES = { wide: { width: 1_440, height: 900 }, narrow: { width: 360, height: 760 } };

async function shoot(page: Page, name: string, scheme: string): Promise<void> {
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await page.waitForTimeout(250);
    await page.screenshot({
      path: join(FOLDER, `${name}.${size}.${scheme}.png`),
      fullPage: size === "narrow",
    });
  }
}

async function shootEveryPage(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const installation = makeInstallation();
  const browser = await launchChromium();
  try {
    const service = installation.start({ via: "node" });
    const baseUrl = await service.ready();
    while (!keyIn(service.stdout())) await new Promise((resolve) => setTimeout(resolve, 50));
    const setupLink = /Set-up link +(\S+)/.exec(service.stdout())?.[1] ?? "";
    const key = keyIn(service.stdout()) ?? "";
    for (const scheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ colorScheme: scheme, viewport: SIZES.wide });
      const page = await context.newPage();
      await visitPages({ page, baseUrl, setupLink, key, password: PASSWORD }, (name) =>
        shoot(page, name, scheme),
      );
      await context.close();
    }
    await service.stop();
  } finally {
    await browser.close();
    await installation.clear();
  }
}

if (process.argv.includes("--mails")) await makeMailPictures();
else {
  await makeFresh();
  await (process.argv.includes("--readme") ? makeReadmePictures() : shootEveryPage());
}
