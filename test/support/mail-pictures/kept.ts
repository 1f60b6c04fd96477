/** Finds and writes the pictures of mails that the project keeps: `npm run screenshots -- --mails` makes them anew. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { launchChromium } from "../browser.ts";
import { pictured } from "./documents.ts";
import { drawMail, openEasel } from "./draw.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "pictures");
const pathOf = (name: string) => join(FOLDER, `${name}.png`);

export function keptPicture(name: string): Buffer | undefined {
  return existsSync(pathOf(name)) ? readFileSync(pathOf(name)) : undefined;
}

/** Letters are drawn without what a machine's settings add to them. */
export const PLAIN_LETTERS = ["font-render-hinting=none", "disable-lcd-text", "force-color-profile=srgb"];

export async function makeMailPictures(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const browser = await launchChromium(PLAIN_LETTERS);
  try {
    const page = await openEasel(browser);
    for (const [name, document] of Object.entries(pictured)) {
      const { png, overflowing } = await drawMail(page, document);
      // Every clone has them, so they are small.
      writeFileSync(
        pathOf(name),
        await sharp(png).png({ palette: true, colours: 128, effort: 8 }).toBuffer(),
      );
      for (const one of overflowing) console.error(`${name} is too wide at ${one}`);
    }
  } finally {
    await browser.close();
  }
}
