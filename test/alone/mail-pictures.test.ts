/**
 * Mails made of blocks look as in the pictures that are kept in test/pictures/. Where one is meant to look otherwise, make them anew with
 * `npm run screenshots -- --mails`, and look at each.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { compileContent } from "../../src/content/compile-content.ts";
import type { BlocksDocument } from "../../src/content/content.ts";
import { bare, joinMail, recipientWith } from "../../src/content/support.fixture.ts";
import { launchChromium, skipWithoutChromium } from "../support/browser.ts";
import { shareThatDiffers } from "../support/mail-pictures/compare.ts";
import { pictured } from "../support/mail-pictures/documents.ts";
import { drawMail, openEasel } from "../support/mail-pictures/draw.ts";
import { keptPicture, PLAIN_LETTERS } from "../support/mail-pictures/kept.ts";

/** Whatever fonts a Debian has, nothing differs; another browser may draw edges in its own way. A button of another colour is ten times this. */
const MOST_THAT_DIFFERS = 0.002;

/** Says how far the words of a heading end from its right side. */
const PLACE = `(() => {
  const title = document.querySelector("h1");
  const range = document.createRange();
  range.selectNodeContents(title);
  return {
    text: title.innerText,
    over: document.documentElement.scrollWidth - innerWidth,
    right: Math.abs(range.getBoundingClientRect().right - title.getBoundingClientRect().right),
  };
})()`;

describe("the pictures of mails", { skip: skipWithoutChromium }, () => {
  let browser: Browser;
  let page: Page;
  before(async () => {
    browser = await launchChromium(PLAIN_LETTERS);
    page = await openEasel(browser);
  });
  after(() => browser.close());

  for (const [name, document] of Object.entries(pictured)) {
    test(`${name} looks as it did, and fits into every window`, async () => {
      const kept = keptPicture(name);
      assert.ok(kept, `there is no test/pictures/${name}.png: npm run screenshots -- --mails makes it`);
      const { png, overflowing } = await drawMail(page, document);
      assert.deepEqual(overflowing, []);
      const share = await shareThatDiffers(kept, png);
      assert.ok(share <= MOST_THAT_DIFFERS, `${(share * 100).toFixed(3)} % of ${name} differs`);
    });
  }

  test("are told apart where a block is missing, moved or of another colour", async () => {
    const { blocks } = pictured["mail-announcement"] ?? assert.fail();
    const changes = [
      blocks.slice(0, -1),
      blocks.map((block) => (block.type === "button" ? { ...block, align: "right" as const } : block)),
      blocks.map((block) => (block.type === "button" ? { ...block, background: "#b3452e" } : block)),
      blocks.map((block) => (block.type === "heading" ? { ...block, level: 2 } : block)),
    ];
    const kept = keptPicture("mail-announcement") ?? assert.fail();
    for (const [at, changed] of changes.entries()) {
      const { png } = await drawMail(page, {
        ...pictured["mail-announcement"],
        version: 1,
        blocks: changed,
      });
      assert.ok((await shareThatDiffers(kept, png)) > MOST_THAT_DIFFERS, `change ${at + 1} isn't seen`);
    }
    assert.equal((await sharp(kept).metadata()).width, 2 * (320 + 480 + 640) + 5 * 12);
  });

  test("of emoji and letters that are read from the right fit, and stand at their side", async () => {
    const said = "שלום עולם, 👩‍👩‍👧‍👦 مرحبا بالعالم";
    const blocks: BlocksDocument = {
      version: 1,
      direction: "rtl",
      blocks: [{ id: "b", type: "heading", level: 1, content: [{ type: "text", text: said }] }],
    };
    const { html } = joinMail(await compileContent({ ...bare, blocks }), recipientWith({}));
    await page.setContent(html);
    for (const width of [320, 480, 640]) {
      await page.setViewportSize({ width, height: 400 });
      const { text, over, right } = await page.evaluate<{ text: string; over: number; right: number }>(PLACE);
      assert.equal(text, said);
      assert.ok(over <= 0, `${width}: by ${over}`);
      assert.ok(right <= 1, `${width}: ${right} from the right`);
    }
  });
});
