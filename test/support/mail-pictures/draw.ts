/**
 * Draws a mail as one strip: at 320, 480 and 640 pixels, in the light and then in the dark. All words are drawn in a font that comes with the
 * project, since those of machines differ; so nothing but letters that this font has may stand in the mails.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { compileContent } from "../../../src/content/compile-content.ts";
import type { BlocksDocument } from "../../../src/content/content.ts";
import { listStarters } from "../../../src/content/content.ts";
import { bare, joinMail, recipientWith } from "../../../src/content/support.fixture.ts";

const WIDTHS = [320, 480, 640] as const;
const SCHEMES = ["light", "dark"] as const;
const GAP = 12;
const AROUND = "#808080";

export type Strip = {
  readonly png: Buffer /** What is wider than its window. */;
  readonly overflowing: readonly string[];
};

/** Opens a page that all mails are drawn on, one after the other. */
export async function openEasel(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  const picture = await makePicture();
  await page.route("**/*", (route) => route.fulfill({ contentType: "image/png", body: picture }));
  return page;
}

export async function drawMail(page: Page, document: BlocksDocument): Promise<Strip> {
  const views: { readonly png: Buffer; readonly width: number }[] = [];
  const overflowing: string[] = [];
  await page.setContent(withFont(await render(document)));
  await page.evaluate("document.fonts.ready");
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 100 });
      const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
      if (over > 0) overflowing.push(`${width} px, ${colorScheme}: by ${over} px`);
      views.push({ png: await page.screenshot({ fullPage: true }), width });
    }
  }
  return { png: await join(views), overflowing };
}

async function render(blocks: BlocksDocument): Promise<string> {
  const receipt = listStarters().find(({ id }) => id === "receipt");
  const recipient = {
    ...recipientWith({ city: "Leeds" }),
    postalAddress: "14 Bondgate, Otley",
    variables: receipt?.sample ?? {},
  };
  return joinMail(await compileContent({ ...bare, blocks }), recipient).html;
}

/** One font takes the place of all, because a machine has others than the next. */
function withFont(html: string): string {
  const face = (style: "normal" | "italic") =>
    `@font-face { font-family: Kept; font-style: ${style}; font-weight: 400 700; src: url(${fontOf(style)}); }`;
  const sheet = `${face("normal")} ${face("italic")} * { font-family: Kept !important; }`;
  return html.replace("</head>", `<style>${sheet}</style></head>`);
}

function fontOf(style: "normal" | "italic"): string {
  const name = `@fontsource-variable/instrument-sans/files/instrument-sans-latin-wght-${style}.woff2`;
  const path = createRequire(import.meta.url).resolve(name);
  return `data:font/woff2;base64,${readFileSync(path).toString("base64")}`;
}

function makePicture(): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><rect width="600" height="400" fill="#2d6a5f"/><circle cx="300" cy="200" r="120" fill="#f4d9a0"/></svg>`;
  return sharp(Buffer.from(svg)).png().toBuffer();
}

async function join(views: readonly { readonly png: Buffer; readonly width: number }[]): Promise<Buffer> {
  const heights = await Promise.all(views.map(async ({ png }) => (await sharp(png).metadata()).height));
  const width = views.reduce((sum, view) => sum + view.width + GAP, -GAP);
  let left = 0;
  const placed = views.map((view) => {
    const at = left;
    left += view.width + GAP;
    return { input: view.png, left: at, top: 0 };
  });
  return sharp({ create: { width, height: Math.max(...heights), channels: 3, background: AROUND } })
    .composite(placed)
    .png({ compressionLevel: 1 })
    .toBuffer();
}
