/** A mail is made of blocks in the browser: each thing by the mouse, and each by the keyboard alone. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { type BlocksTest, footer, heading, said, startBlocksEditor, text } from "../support/blocks-editor.ts";
import { skipWithoutChromium } from "../support/browser.ts";
import { assertAccessible, finish, MOST_MS } from "../support/dashboard.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("the editor of blocks", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let editor: BlocksTest;
  let page: Page;
  before(async () => {
    editor = await startBlocksEditor();
    page = editor.page;
  });
  after(async () => {
    await editor?.dashboard.stop();
  });

  const ids = async (id: string) => (await editor.blocksOf(id)).map((block) => block.id);
  const status = (words: string | RegExp) => page.getByRole("status").getByText(words).waitFor();

  test("what is typed is saved, and shown beside it", async () => {
    const id = await editor.openBlocks([heading("h", "News"), footer]);
    await editor.block("h").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" of winter");
    await editor.becomes(id, ([first]) => JSON.stringify(first).includes("News of winter"));
    await page.frameLocator("iframe.front").getByRole("heading", { name: "News of winter" }).waitFor();
    assert.deepEqual(await ids(id), ["h", "end"]);
    await assertAccessible(page, "a block that is written in");
  });

  test("a block is added by / and a word of it", async () => {
    const id = await editor.openBlocks([text("t", "One"), footer]);
    await editor.block("t").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("/quo");
    await page.getByRole("option", { name: "Quote" }).waitFor();
    await assertAccessible(page, "what is offered behind /");
    await page.keyboard.press("Enter");
    await status(/^Added: Quote, block 2 of 3/);
    await page.keyboard.type("Said so");
    await editor.becomes(id, (blocks) => blocks[1]?.type === "quote");
    assert.deepEqual((await editor.blocksOf(id))[1], {
      ...(await editor.blocksOf(id))[1],
      content: said("Said so"),
    });
  });

  test("every kind is added by the plus, and what it can't be without is asked for", async () => {
    const id = await editor.openBlocks([text("t", "One")]);
    const plain = ["Heading", "Text", "Line", "Space", "Columns", "Product", "Quote", "Table", "Footer"];
    for (const kind of plain) {
      await page.getByRole("button", { name: "Outline" }).click();
      await page.getByRole("button", { name: "Text One" }).click();
      await page.locator('.blk.chosen[data-id="t"]').waitFor();
      await page.getByRole("button", { name: /^Add a block after/ }).click();
      await page.getByRole("menuitem", { name: kind, exact: true }).click();
      await status(new RegExp(`^Added: ${kind}`));
    }
    for (const [kind, label] of [
      ["Button", "Words on it"],
      ["Social links", "Name of the network"],
    ] as const) {
      await page.getByRole("button", { name: "Outline" }).click();
      await page.getByRole("button", { name: "Text One" }).click();
      await page.locator('.blk.chosen[data-id="t"]').waitFor();
      await page.getByRole("button", { name: /^Add a block after/ }).click();
      await page.getByRole("menuitem", { name: kind, exact: true }).click();
      await page.getByLabel("Where it leads").fill("javascript:alert(1)");
      await page.getByLabel(label).fill("Shop");
      await page.getByRole("button", { name: "Add it" }).click();
      await page.getByText(/^Begin with https/).waitFor();
      await page.getByLabel("Where it leads").fill("shop.example/new");
      await page.getByRole("button", { name: "Add it" }).click();
      await status(new RegExp(`^Added: ${kind}`));
    }
    await editor.becomes(id, (blocks) => blocks.length === 12);
    assert.deepEqual(
      new Set(await editor.kinds(id)),
      new Set("text heading divider spacer columns product quote table footer button social".split(" ")),
    );
    const button = (await editor.blocksOf(id)).find(({ type }) => type === "button");
    assert.ok(button?.type === "button" && button.link === "https://shop.example/new");
  });

  test("a block is moved, copied and deleted by keys, and all of it taken back", async () => {
    const id = await editor.openBlocks([heading("a", "A"), text("b", "B"), footer]);
    await editor.block("b").click();
    await page.keyboard.press("Alt+ArrowUp");
    await status(/^Moved up\. It is block 1 of 3/);
    await editor.becomes(id, ([first]) => first?.id === "b");
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Control+d");
    await status(/^Duplicated/);
    await editor.becomes(id, (blocks) => blocks.length === 4);
    assert.equal(new Set(await ids(id)).size, 4);
    await page.keyboard.press("Control+Shift+Backspace");
    await status(/^Deleted/);
    await editor.becomes(id, (blocks) => blocks.length === 3);
    for (let step = 0; step < 4; step++) await page.keyboard.press("Control+z");
    await until(async () => JSON.stringify(await ids(id)) === JSON.stringify(["a", "b", "end"]));
    for (let step = 0; step < 2; step++) await page.keyboard.press("Control+y");
    await until(async () => JSON.stringify(await ids(id)) === JSON.stringify(["a", "b", "end"]));
    await page.keyboard.press("Control+y");
    await editor.becomes(id, (blocks) => blocks.length === 4);
  });

  test("the same by the mouse, and dragged by its grip", async () => {
    const id = await editor.openBlocks([heading("a", "A"), text("b", "B"), footer]);
    await editor.block("a").click();
    const grip = page.getByRole("button", { name: /^Drag Heading/ });
    const to = await editor.block("b").boundingBox();
    assert.ok(to);
    await grip.hover();
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, to.y + to.height / 2, { steps: 5 });
    await page.mouse.move(to.x + to.width / 2, to.y + to.height - 2, { steps: 5 });
    await page.mouse.up();
    await until(async () => JSON.stringify(await ids(id)) === JSON.stringify(["b", "a", "end"]));
    await editor.toolbar().getByRole("button", { name: "Duplicate" }).click();
    await editor.becomes(id, (blocks) => blocks.length === 4);
    await editor.toolbar().getByRole("button", { name: "Delete" }).click();
    await editor.becomes(id, (blocks) => blocks.length === 3);
    await page.getByRole("button", { name: "Undo" }).click();
    await editor.becomes(id, (blocks) => blocks.length === 4);
  });

  test("words get their looks, a link, a list and a variable", async () => {
    const id = await editor.openBlocks([text("t", "One two"), footer]);
    await editor.block("t").click();
    await editor
      .root()
      .getByText("One two")
      .dblclick({ position: { x: 8, y: 8 } });
    await editor.toolbar().getByRole("button", { name: "Bold" }).click();
    await editor.root().locator("strong", { hasText: "One" }).waitFor();
    await page.keyboard.press("Control+i");
    await editor.root().locator("em", { hasText: "One" }).waitFor();
    await page.keyboard.press("Control+Shift+k");
    await page.getByLabel("Where it leads").fill("https://shop.example/");
    await page.keyboard.press("Enter");
    await editor.becomes(id, ([first]) => JSON.stringify(first).includes('"link":"https://shop.example/"'));
    await page.keyboard.press("End");
    await page.keyboard.type(" {first");
    await page.getByRole("option", { name: /First name/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("!");
    await editor.becomes(id, ([first]) => JSON.stringify(first).includes('"name":"first_name"'));
    await page.keyboard.press("Alt+F10");
    await page.keyboard.press("End");
    for (const name of ["Duplicate", "Settings"]) {
      await page.keyboard.press("ArrowLeft");
      assert.equal(await page.evaluate("document.activeElement.ariaLabel"), name);
    }
    await page.keyboard.press("Escape");
    await editor.toolbar().getByRole("button", { name: "More for these words" }).click();
    await page.getByRole("button", { name: "Numbered list" }).click();
    await assertAccessible(page, "more for words");
    await page.keyboard.press("Escape");
    await editor.becomes(id, ([first]) => JSON.stringify(first).includes('"ordered":true'));
    const [block] = await editor.blocksOf(id);
    assert.ok(block?.type === "text" && block.content[0]?.type === "list");
    assert.deepEqual(block.content[0].items[0]?.content, [
      { type: "text", text: "One", bold: true, italic: true, link: "https://shop.example/" },
      { type: "text", text: " two " },
      { type: "variable", name: "first_name" },
      { type: "text", text: "!" },
    ]);
  });

  test("a variable says something where it is empty", async () => {
    const id = await editor.openBlocks([
      {
        id: "t",
        type: "text",
        content: [{ type: "paragraph", content: [{ type: "variable", name: "first_name" }] }],
      },
    ]);
    await editor.root().locator(".var").click();
    await page.keyboard.press("Enter");
    await page.getByLabel("Where it is empty, say").fill("reader");
    await editor.becomes(id, ([first]) => JSON.stringify(first).includes('"fallback":"reader"'));
    await page.keyboard.press("Escape");
    await editor.root().getByText("First name, or “reader”").waitFor();
  });

  test("properties are set in a window, and a condition only once it is whole", async () => {
    const id = await editor.openBlocks([text("t", "One"), { id: "s", type: "spacer", height: 24 }, footer]);
    await editor.block("s").click();
    await page.keyboard.press("Enter");
    const height = page.getByLabel("Height in pixels");
    await height.fill("2000");
    await page.getByText(/^Give a whole number from 4 to 200/).waitFor();
    await height.fill("60");
    await editor.becomes(id, (blocks) => blocks[1]?.type === "spacer" && blocks[1].height === 60);
    await page.getByLabel("Shown to").selectOption("tag");
    await page.getByLabel("Tag", { exact: true }).fill("VIP");
    await assertAccessible(page, "settings of a block");
    await editor.becomes(id, (blocks) => blocks[1]?.only_for?.type === "tag");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Undo" }).waitFor();
    assert.equal(await editor.block("s").getAttribute("data-note"), "Only for tag “VIP”");
  });

  test("columns are resized by keys and by the mouse", async () => {
    const id = await editor.openBlocks([
      {
        id: "c",
        type: "columns",
        columns: [{ blocks: [text("l", "L") as never] }, { blocks: [text("r", "R") as never] }],
      },
    ]);
    const widths = async () => {
      const [block] = await editor.blocksOf(id);
      return block?.type === "columns" ? block.columns.map(({ width }) => width) : [];
    };
    await editor.block("l").click();
    const border = page.getByRole("separator", { name: "Border behind column 1" });
    await border.focus();
    await page.keyboard.press("ArrowLeft");
    await until(async () => JSON.stringify(await widths()) === "[45,55]");
    const box = await border.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 120, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    await until(async () => ((await widths())[0] ?? 0) > 55);
    await page.getByRole("button", { name: "Undo" }).click();
    await until(async () => JSON.stringify(await widths()) === "[45,55]");
  });

  test("a block goes into columns and out of them by keys", async () => {
    const id = await editor.openBlocks([
      text("a", "A"),
      { id: "c", type: "columns", columns: [{ blocks: [] }, { blocks: [text("r", "R") as never] }] },
    ]);
    await editor.block("a").click();
    await page.keyboard.press("Alt+ArrowDown");
    await editor.becomes(
      id,
      ([first]) => first?.type === "columns" && first.columns[0]?.blocks[0]?.id === "a",
    );
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowDown");
    await page.keyboard.press("Alt+ArrowDown");
    await until(async () => JSON.stringify(await ids(id)) === JSON.stringify(["c", "a"]));
  });

  test("what a newer version made is shown, kept and not written into, until somebody deletes it", async () => {
    const id = await editor.openBlocks([text("t", "One"), footer]);
    const document = (await editor.campaign(id)).blocks;
    const newer = { id: "v", type: "video", src: "https://shop.example/v.mp4", chapters: [{ at: 3 }] };
    const stored = JSON.stringify({ ...document, blocks: [newer, ...document.blocks] });
    await editor.dashboard.app.db.execute(
      sql`update campaigns set blocks = ${stored} where id = ${uuidOf("cmp", id)}`,
    );
    await editor.open(id);
    await editor
      .root()
      .getByText(/kind “video”, made by a newer version, kept as it is/)
      .waitFor();
    await editor.block("t").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" more");
    await editor.becomes(
      id,
      (blocks) => JSON.stringify(blocks) === JSON.stringify([newer, text("t", "One more"), footer]),
    );
    await editor.saved();
    await page
      .getByText(/knows no block of the kind video/)
      .first()
      .waitFor();
    await assertAccessible(page, "a block of a newer version");
    await editor.block("v").click({ position: { x: 20, y: 10 } });
    await page.keyboard.press("Control+Shift+Backspace");
    await editor.becomes(
      id,
      (blocks) => JSON.stringify(blocks) === JSON.stringify([text("t", "One more"), footer]),
    );
  });

  test("the outline and the checks lead to their block, and the style is the mail's", async () => {
    const id = await editor.openBlocks([
      heading("h", "News"),
      { id: "i", type: "html", html: "{{ nothing_like_it }}" },
      footer,
    ]);
    await page.getByRole("button", { name: "Outline" }).click();
    await assertAccessible(page, "the outline");
    await page.getByRole("button", { name: /Footer Leave/ }).click();
    await status(/^Footer, block 3 of 3/);
    await page.getByRole("button", { name: /^Show.*nothing_like_it/ }).click();
    await status(/^HTML, block 2 of 3/);
    await page.getByRole("button", { name: "Style" }).click();
    await page.getByLabel("Font", { exact: true }).selectOption("serif");
    await page.getByLabel("Width in pixels").fill("640");
    await assertAccessible(page, "the style");
    const style = async () => (await editor.campaign(id)).blocks.style;
    await until(async () => JSON.stringify(await style()) === '{"font":"serif","width":640}');
    await page.getByRole("button", { name: "Use the account's style" }).click();
    await until(async () => (await style()) === undefined);
    await page.keyboard.press("Escape");
  });

  test("what is too much for the service is said at once, with the way to it", async () => {
    const inColumn = Array.from({ length: 30 }, (_, at) => text(`c${at}`, `Line ${at}`));
    await editor.openBlocks([
      { id: "cols", type: "columns", columns: [{ blocks: inColumn }, { blocks: [] }] as never },
      text("t", "One"),
    ]);
    await editor.block("c3").click();
    await page.keyboard.press("Control+d");
    const said = page.getByText("Block 32: a column takes 30 blocks, and this one has 31.", { exact: false });
    await said.waitFor();
    await assertAccessible(page, "too many blocks in a column");
    await page.getByRole("button", { name: "Show it" }).click();
    await status(/, block 32 of 33/);
    await page.keyboard.press("Control+Shift+Backspace");
    await said.waitFor({ state: "detached" });
    await editor.saved();
  });

  test("a section that isn't among the newest is found by its name or by going on, and added", async () => {
    const made: string[] = [];
    for (let number = 1; number <= 52; number++) {
      const blocks = { version: 1, blocks: [heading("h", `Words of ${number}`)] };
      made.push((await editor.api("POST", "/v1/sections", { name: `Part ${number}.`, blocks })).id);
    }
    const id = await editor.openBlocks([text("t", "One")]);
    await editor.block("t").click();
    await page.getByRole("button", { name: /^Add a block after/ }).click();
    await page.getByRole("menuitem", { name: "Search all sections" }).click();
    const items = page.getByRole("dialog", { name: "Sections" }).getByRole("listitem");
    await until(async () => (await items.count()) === 50);
    await page.getByRole("button", { name: "Show more" }).click();
    await until(async () => (await items.count()) === 52);
    await page.getByLabel("Search by name").fill("nothing");
    await page.getByText("No section has such a name.").waitFor();
    await page.getByLabel("Search by name").fill("part 1.");
    await until(async () => (await items.count()) === 1);
    await assertAccessible(page, "the sections that are searched");
    await page.getByRole("button", { name: "Add it: “Part 1.”" }).click();
    await editor.becomes(id, (blocks) => JSON.stringify(blocks).includes("Words of 1"));
    await editor.block("t").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" /part");
    await page.getByRole("option", { name: "Search all sections" }).click();
    await page.getByLabel("Search by name").waitFor();
    await page.getByRole("button", { name: "Close" }).last().click();
    for (const section of made) await editor.api("DELETE", `/v1/sections/${section}`);
  });

  test("a block is saved as a section, added to another mail, renamed and deleted", async () => {
    await editor.openBlocks([heading("h", "Our hours"), footer]);
    await editor.block("h").click();
    await page.keyboard.press("Alt+Enter");
    await page.getByRole("button", { name: "Save as a section" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Hours");
    await page.getByRole("button", { name: "Save it" }).click();
    await page.getByText("“Hours” is saved").waitFor();
    const id = await editor.openBlocks([text("t", "One")]);
    await editor.block("t").click();
    await page.keyboard.press("End");
    await page.keyboard.type(" /hou");
    await page.keyboard.press("Enter");
    await editor.becomes(id, (blocks) => JSON.stringify(blocks).includes("Our hours"));
    await page.getByRole("button", { name: /^Add a block after/ }).click();
    await page.getByRole("menuitem", { name: "Manage the sections" }).click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("New name of “Hours”").fill("Opening hours");
    await page.getByRole("button", { name: "Save it" }).click();
    await page.getByRole("listitem").getByText("Opening hours").waitFor();
    await assertAccessible(page, "the sections");
    await page.getByRole("button", { name: "Delete" }).last().click();
    await page
      .getByRole("dialog", { name: "Delete “Opening hours”?" })
      .getByRole("button", { name: "Delete" })
      .click();
    await page.getByText("No section is saved yet.", { exact: false }).waitFor();
    assert.deepEqual((await editor.api("GET", "/v1/sections")).data, []);
    await page.getByRole("button", { name: "Close" }).last().click();
    await finish(editor.watched);
  });
});
