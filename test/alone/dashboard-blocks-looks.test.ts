/** The editor of blocks in every state, wide and on a telephone, light and dark; and on a telephone by touch. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import {
  type Blocks,
  type BlocksTest,
  footer,
  heading,
  said,
  startBlocksEditor,
  text,
} from "../support/blocks-editor.ts";
import { PATIENCE_MS, skipWithoutChromium } from "../support/browser.ts";
import { assertAccessible, finish, MOST_MS } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

const WIDTHS = [
  { width: 1_440, height: 900 },
  { width: 360, height: 760 },
] as const;
const SCHEMES = ["light", "dark"] as const;
/** Pictures of all that is looked at are kept there, for whoever wants to see it. */
const PICTURES = process.env["LOOKS_FOLDER"];

/** One of each kind, over and over. */
function hundred(): Blocks {
  const kinds: readonly ((id: string) => Blocks[number])[] = [
    (id) => heading(id, "Six books for the long evenings of this winter"),
    (id) => text(id, "The shop opens its winter tables on Thursday, and you have read with us for a while."),
    (id) => ({ id, type: "button", label: said("See the winter tables"), link: "https://shop.example/" }),
    (id) => ({ id, type: "divider" }),
    (id) => ({
      id,
      type: "columns",
      columns: [
        { blocks: [text(`${id}l`, "Left")] },
        { blocks: [text(`${id}r`, "Right, with a long word such as Donaudampfschifffahrtsgesellschaft")] },
      ] as never,
    }),
    (id) => ({ id, type: "social", links: [{ label: "Mastodon", link: "https://social.example/@shop" }] }),
    (id) => ({ id, type: "product", title: said("A History of Salt"), price: said("£12") }),
    (id) => ({ id, type: "quote", content: said("Bread is everything."), source: said("A baker") }),
    (id) => ({
      id,
      type: "table",
      has_header: true,
      rows: [
        [said("Day"), said("Opens"), said("Closes")],
        [said("Thursday"), said("9:00"), said("18:00")],
      ],
    }),
    (id) => ({ id, type: "html", html: "<p>By <b>hand</b>, שלום 🙂</p>" }),
    (id) => ({ id, type: "spacer", height: 24 }),
  ];
  return [...Array.from({ length: 99 }, (_, at) => kinds[at % kinds.length]?.(`b${at}`) ?? footer), footer];
}

/** The blocks over which the toolbar of another lies; columns are covered where a block in them is. */
const COVERED = `(chosen) => {
  const tools = document.querySelector(".block-toolbar").getBoundingClientRect();
  return [...document.querySelectorAll(".blk:not(.blk-columns)")].filter((block) => {
    const { left, right, top, bottom } = block.getBoundingClientRect();
    return block.dataset.id !== chosen && left < tools.right && right > tools.left && top < tools.bottom && bottom > tools.top;
  }).map((block) => block.dataset.id);
}`;

describe("how the editor of blocks looks", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let editor: BlocksTest;
  let page: Page;
  before(async () => {
    editor = await startBlocksEditor();
    page = editor.page;
    if (PICTURES) mkdirSync(PICTURES, { recursive: true });
  });
  after(async () => {
    await editor?.dashboard.stop();
  });

  const look = async (name: string) => {
    for (const viewport of WIDTHS)
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize(viewport);
        await assertAccessible(page, `${name} in ${colorScheme} at ${viewport.width} pixels`);
        if (!PICTURES) continue;
        const path = `${PICTURES}/${name.replaceAll(" ", "-")}.${viewport.width}.${colorScheme}.png`;
        await page.screenshot({ path, fullPage: viewport.width < 1_000 });
      }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(WIDTHS[0]);
  };

  test("with nothing in it", async () => {
    await editor.openBlocks([]);
    await page.getByRole("button", { name: "Add a block" }).waitFor();
    await look("an empty mail");
  });

  test("with a block that is chosen, and its settings", async () => {
    await editor.openBlocks(hundred().slice(0, 12));
    await editor.block("b1").click();
    await look("a mail that is written");
    await editor.block("b4l").click();
    await look("columns");
    await page.keyboard.press("Alt+Enter");
    await page.getByRole("dialog", { name: "Settings: Text" }).waitFor();
    await look("settings");
  });

  test("the tools of a block cover no other, and words in columns begin where those of other blocks do", async () => {
    await editor.openBlocks(hundred().slice(0, 12));
    for (const viewport of WIDTHS) {
      await page.setViewportSize(viewport);
      for (const id of ["b0", "b1", "b4l", "b4r", "b5"]) {
        await editor.block(id).click();
        await editor.toolbar().waitFor();
        await until(async () => (await page.evaluate<string[]>(`(${COVERED})("${id}")`)).length === 0);
      }
      const starts = await page.evaluate<number[]>(`["b1", "b4l"].map((id) => {
        const words = document.createRange();
        words.selectNodeContents(document.querySelector('.blk[data-id="' + id + '"] p'));
        return Math.round(words.getBoundingClientRect().left);
      })`);
      assert.equal(starts[0], starts[1], `at ${viewport.width} pixels`);
    }
    await page.setViewportSize(WIDTHS[0]);
  });

  test("with a hundred blocks", async () => {
    await editor.openBlocks(hundred());
    await editor.block("b0").click();
    await look("a hundred blocks");
  });

  test("while it can't be saved", async () => {
    const id = await editor.openBlocks([text("t", "One"), footer]);
    await page.route(`**/v1/campaigns/${id}`, (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await editor.write("t", " unsaved");
    await editor.state("Not saved, trying again");
    await look("a mail that is not saved");
    await page.unroute(`**/v1/campaigns/${id}`);
    await editor.saved();
  });

  test("on a telephone blocks are added, moved and deleted by touch", async () => {
    const id = await editor.openBlocks([heading("a", "A"), text("b", "B"), footer]);
    const context = await page
      .context()
      .browser()
      ?.newContext({
        hasTouch: true,
        isMobile: true,
        viewport: WIDTHS[1],
        storageState: await page.context().storageState(),
      });
    assert.ok(context);
    context.setDefaultTimeout(PATIENCE_MS);
    const phone = await context.newPage();
    const order = async () => (await editor.blocksOf(id)).map((block) => block.id).join(" ");
    await editor.open(id, phone);
    await editor.block("b", phone).tap();
    await editor.toolbar(phone).getByRole("button", { name: "Settings" }).tap();
    await phone.getByRole("button", { name: "Move up" }).tap();
    await until(async () => (await order()) === "b a end");
    await phone.getByRole("button", { name: "Move down" }).tap();
    await until(async () => (await order()) === "a b end");
    await phone.getByRole("button", { name: "Done" }).tap();
    await phone.getByRole("button", { name: /^Add a block after/ }).tap();
    await phone.getByRole("menuitem", { name: "Line", exact: true }).tap();
    await editor.becomes(id, (blocks) => blocks[2]?.type === "divider");
    await editor.toolbar(phone).getByRole("button", { name: "Delete" }).tap();
    await until(async () => (await order()) === "a b end");
    if (PICTURES) await phone.screenshot({ path: `${PICTURES}/touch.png` });
    await context.close();
    await finish(editor.watched);
  });
});
