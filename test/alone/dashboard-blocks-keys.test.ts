/** All that can be done with blocks is done without a pointer: no test here moves or presses the mouse. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type BlocksTest, footer, heading, startBlocksEditor, text } from "../support/blocks-editor.ts";
import { skipWithoutChromium } from "../support/browser.ts";
import { finish, MOST_MS } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

describe("blocks by the keyboard alone", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let editor: BlocksTest;
  let page: Page;
  before(async () => {
    editor = await startBlocksEditor();
    page = editor.page;
  });
  after(async () => {
    await editor?.dashboard.stop();
  });

  const MOST_TABS = 90;
  const focused = () =>
    page.evaluate<string>(
      `((one) => one?.getAttribute("aria-label") ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? "")(document.activeElement)`,
    );
  /** Goes from one thing to the next until this one has the focus. */
  const tabTo = async (name: RegExp, key = "Tab") => {
    const passed: string[] = [];
    for (let step = 0; step < MOST_TABS; step++) {
      if (step > 0) await page.keyboard.press(key);
      const now = (await focused()).trim();
      if (name.test(now)) return;
      passed.push(now.slice(0, 40));
    }
    assert.fail(`${name} was never reached: ${passed.join(" | ")}`);
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const status = (words: string | RegExp) => page.getByRole("status").getByText(words).waitFor();
  /** Into the mail from wherever the page begins, at its first words. */
  const comeIn = async () => {
    await tabTo(/^Content, as blocks$/);
    await press("Control+Home");
  };
  const choose = async (line: RegExp) => {
    await tabTo(/^Outline$/, "Shift+Tab");
    await press("Enter");
    await page.getByRole("dialog", { name: "Outline" }).waitFor();
    await tabTo(line);
    await press("Enter");
    await page.getByRole("dialog", { name: "Outline" }).waitFor({ state: "detached" });
  };
  const order = async (id: string) => (await editor.blocksOf(id)).map((block) => block.id).join(" ");

  test("blocks are added by / and by the plus, moved, copied, deleted, and all of it taken back", async () => {
    const id = await editor.openBlocks([text("a", "One"), heading("b", "Two"), footer]);
    await comeIn();
    await press("End");
    await page.keyboard.type(" more");
    await press("Enter");
    await page.keyboard.type("/spa");
    await page.getByRole("option", { name: "Space" }).waitFor();
    await press("Enter");
    await status(/^Added: Space, block 2 of 4/);
    await tabTo(/^Add a block after: Space$/);
    await press("Enter");
    await page.getByRole("menuitem", { name: "Quote" }).waitFor();
    await page.keyboard.type("quo");
    await press("Enter");
    await status(/^Added: Quote, block 3 of 5/);
    await page.keyboard.type("Said");
    await editor.becomes(id, (blocks) => JSON.stringify(blocks[2] ?? {}).includes("Said"));
    await press("Alt+ArrowDown", "Alt+ArrowDown", "Alt+ArrowUp");
    await status(/^Moved up\. It is block 4 of 5/);
    await press("Control+d");
    await status(/^Duplicated/);
    await editor.becomes(id, (blocks) => blocks.filter(({ type }) => type === "quote").length === 2);
    await press("Control+Shift+Backspace");
    await status(/^Deleted/);
    await editor.becomes(id, (blocks) => blocks.filter(({ type }) => type === "quote").length === 1);
    await tabTo(/^Drag /);
    await press("ArrowUp");
    await status(/^Moved up/);
    await tabTo(/^Undo$/, "Shift+Tab");
    for (let step = 0; step < 40; step++) {
      if (await page.getByRole("button", { name: "Undo" }).first().isDisabled()) break;
      await press("Control+z");
    }
    await until(async () => (await order(id)) === "a b end");
    assert.deepEqual(await editor.blocksOf(id), [text("a", "One"), heading("b", "Two"), footer]);
  });

  test("whoever types sees what they type, wherever they have scrolled to", async () => {
    const blocks = Array.from({ length: 40 }, (_, at) => text(`t${at}`, `Line ${at}`));
    const id = await editor.openBlocks(blocks);
    await editor.write("t1", " a");
    const isSeen = () =>
      page.evaluate<boolean>(`(() => {
        const { top, bottom } = document.querySelector('.blk[data-id="t1"]').getBoundingClientRect();
        const paper = document.querySelector(".blocks-paper").getBoundingClientRect();
        return bottom > paper.top && top < paper.bottom;
      })()`);
    await page.evaluate('document.querySelector(".blocks-paper").scrollTop = 100000');
    assert.equal(await isSeen(), false);
    await page.keyboard.type("b");
    await until(isSeen);
    await editor.becomes(id, ([, block]) => JSON.stringify(block).includes("Line 1 ab"));
  });

  test("columns are resized, and a block goes into them and out", async () => {
    const id = await editor.openBlocks([
      text("a", "A"),
      {
        id: "c",
        type: "columns",
        columns: [{ blocks: [text("l", "L") as never] }, { blocks: [text("r", "R") as never] }],
      },
      footer,
    ]);
    await comeIn();
    await choose(/^Text\s*L/);
    await tabTo(/^Border behind column 1$/);
    await press("ArrowLeft", "ArrowLeft");
    await editor.becomes(
      id,
      (blocks) =>
        blocks[1]?.type === "columns" && blocks[1].columns.map(({ width }) => width).join(" ") === "40 60",
    );
    await press("Escape");
    assert.equal(await focused(), "Content, as blocks");
    await press("Alt+ArrowUp");
    await until(async () => (await order(id)) === "a l c end");
    await press("Alt+ArrowDown");
    await until(async () => (await order(id)) === "a c end");
  });

  test("a condition, a repetition and other properties are set", async () => {
    const id = await editor.openBlocks([text("a", "A"), { id: "s", type: "spacer", height: 24 }, footer]);
    await comeIn();
    await press("Escape", "ArrowDown", "Alt+Enter");
    await page.getByRole("dialog", { name: "Settings: Space" }).waitFor();
    await tabTo(/^Height in pixels/);
    await press("Control+a");
    await page.keyboard.type("48");
    await tabTo(/^Shown to/);
    await press("ArrowDown");
    await tabTo(/^Tag/);
    await page.keyboard.type("VIP");
    await tabTo(/^Repeat it/);
    await press("Space");
    await tabTo(/^List/);
    await page.keyboard.type("fields.orders");
    await editor.becomes(id, (blocks) => JSON.stringify(blocks[1]).includes("orders"));
    assert.deepEqual((await editor.blocksOf(id))[1], {
      id: "s",
      type: "spacer",
      height: 48,
      only_for: { type: "tag", tag: "VIP", has: true },
      repeat: { over: "fields.orders", most: 20 },
    });
    await tabTo(/^Move up$/);
    await press("Enter");
    await until(async () => (await order(id)) === "s a end");
    await press("Escape");
    await page.getByRole("dialog", { name: "Settings: Space" }).waitFor({ state: "detached" });
  });

  test("words get their looks, a link and a variable", async () => {
    const id = await editor.openBlocks([text("a", "One two"), footer]);
    await comeIn();
    await press("Control+Shift+ArrowRight", "Control+b", "Control+Shift+k");
    await page.getByRole("dialog").getByLabel("Where it leads").waitFor();
    await page.keyboard.type("shop.example");
    await press("Enter");
    await editor.becomes(id, (blocks) => JSON.stringify(blocks[0]).includes('"link":"https://shop.example"'));
    await press("End");
    await page.keyboard.type(" {first");
    await page.getByRole("option", { name: /First name/ }).waitFor();
    await press("Enter", "ArrowLeft", "Enter");
    await page.getByLabel("Where it is empty, say").waitFor();
    await tabTo(/^Where it is empty/);
    await page.keyboard.type("reader");
    await editor.becomes(id, (blocks) => JSON.stringify(blocks[0]).includes('"fallback":"reader"'));
    await press("Escape");
  });

  test("the style of the mail is chosen", async () => {
    const id = await editor.openBlocks([text("a", "One"), footer]);
    await comeIn();
    await tabTo(/^Style$/, "Shift+Tab");
    await press("Enter");
    await page.getByLabel("Font", { exact: true }).waitFor();
    await tabTo(/^Font$/);
    await press("s", "e");
    await tabTo(/^Width in pixels/, "Shift+Tab").catch(() => tabTo(/^Width in pixels/));
    await press("Control+a");
    await page.keyboard.type("640");
    const style = async () => JSON.stringify((await editor.campaign(id)).blocks.style);
    await until(async () => (await style()) === '{"font":"serif","width":640}');
    await press("Escape");
  });

  test("a section is saved, added to another mail, renamed and deleted", async () => {
    await editor.openBlocks([heading("h", "Our hours"), footer]);
    await comeIn();
    await press("Alt+Enter");
    await tabTo(/^Save as a section$/);
    await press("Enter");
    await page.getByRole("dialog", { name: "Save as a section" }).waitFor();
    await page.keyboard.type("Hours");
    await press("Enter");
    await page.getByText("“Hours” is saved").waitFor();
    const id = await editor.openBlocks([text("t", "One"), footer]);
    await comeIn();
    await press("End");
    await page.keyboard.type(" /hou");
    await page.getByRole("option", { name: /Hours/ }).waitFor();
    await press("Enter");
    await editor.becomes(id, (blocks) => JSON.stringify(blocks).includes("Our hours"));
    await tabTo(/^Add a block after/);
    await press("Enter");
    await page.getByRole("menuitem", { name: "Manage the sections" }).waitFor();
    await press("End", "Enter");
    await page.getByRole("dialog", { name: "Sections" }).waitFor();
    await tabTo(/^Rename$/);
    await press("Enter");
    await page.getByLabel("New name of “Hours”").waitFor();
    await press("Control+a");
    await page.keyboard.type("Opening hours");
    await press("Enter");
    await page.getByRole("listitem").getByText("Opening hours").waitFor();
    await tabTo(/^Delete$/);
    await press("Enter");
    await page.getByRole("dialog", { name: "Delete “Opening hours”?" }).waitFor();
    await tabTo(/^Delete$/);
    await press("Enter");
    await page.getByText("No section is saved yet.", { exact: false }).waitFor();
    await finish(editor.watched);
  });
});
