/** What other programs put on the clipboard becomes blocks, and nothing else comes in with it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { type Blocks, type BlocksTest, footer, startBlocksEditor, text } from "../support/blocks-editor.ts";
import { skipWithoutChromium } from "../support/browser.ts";
import { finish, MOST_MS } from "../support/dashboard.ts";

/** A red dot of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal{margin:0}</style></head><body>
<!--StartFragment--><h1>Minutes<o:p></o:p></h1>
<p class=MsoNormal style='color:black'>Dear <b>all</b>,<o:p></o:p></p>
<p class=MsoListParagraph style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>1.<span>&nbsp;</span></span>first</p>
<p class=MsoListParagraph style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>a.<span>&nbsp;</span></span>deeper</p><!--EndFragment--></body></html>`;

const DOCS = `<meta charset='utf-8'><b style="font-weight:normal;" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:700;color:#000000">Bold</span><span style="font-style:italic"> and leaning</span></p>
<ul><li dir="ltr"><p><span>one</span></p></li><ul><li dir="ltr"><p><span>below</span></p></li></ul></ul>
<p><a href="https://shop.example/"><span style="color:#1155cc;text-decoration:underline">a link</span></a></p></b>`;

const HOSTILE = `<script>globalThis.hurt = 1</script><img src=x onerror="globalThis.hurt = 2"><p onclick="globalThis.hurt = 3">Kept <a href="javascript:globalThis.hurt=4">words</a></p>
<iframe srcdoc="<script>parent.hurt = 5</script>"></iframe><form><input name=a><button>b</button></form><svg onload="globalThis.hurt = 6"></svg>
<table><tr><th>Day</th><th>Opens</th></tr><tr><td>Thursday</td><td>9:00</td></tr></table><img src="https://shop.example/p.gif" width="1" height="1"><style>*{display:none}</style>
<p style="display:none">Unseen</p><p>\u202Eabc 🙂 שלום</p>`;

describe("what is pasted into blocks", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let editor: BlocksTest;
  let page: Page;
  before(async () => {
    editor = await startBlocksEditor();
    page = editor.page;
  });
  after(async () => {
    await editor?.dashboard.stop();
  });

  const opened = async () => {
    const id = await editor.openBlocks([text("t", "Before"), footer]);
    await editor.block("t").click();
    await page.keyboard.press("End");
    return id;
  };
  const withoutIds = (blocks: Blocks) => blocks.map(({ id: _id, ...block }) => block);
  const has = (id: string, words: string) =>
    editor.becomes(id, (blocks) => JSON.stringify(blocks).includes(words));

  test("from Word: headings, words and lists", async () => {
    const id = await opened();
    await editor.paste({ "text/html": WORD, "text/plain": "Minutes" });
    await has(id, "deeper");
    assert.deepEqual(withoutIds((await editor.blocksOf(id)).slice(1, 3)), [
      { type: "heading", level: 1, content: [{ type: "text", text: "Minutes" }] },
      {
        type: "text",
        content: [
          {
            type: "paragraph",
            content: [
              { type: "text", text: "Dear " },
              { type: "text", text: "all", bold: true },
              { type: "text", text: "," },
            ],
          },
          {
            type: "list",
            ordered: true,
            items: [
              { content: [{ type: "text", text: "first" }] },
              { content: [{ type: "text", text: "deeper" }], level: 2 },
            ],
          },
        ],
      },
    ]);
  });

  test("from Google Docs: paragraphs among the paragraphs that are there", async () => {
    const id = await opened();
    await editor.paste({ "text/html": DOCS, "text/plain": "Bold" });
    await has(id, "a link");
    const [block] = await editor.blocksOf(id);
    assert.ok(block?.type === "text");
    assert.deepEqual(block.content, [
      {
        type: "paragraph",
        content: [
          { type: "text", text: "Before" },
          { type: "text", text: "Bold", bold: true },
          { type: "text", text: " and leaning", italic: true },
        ],
      },
      {
        type: "list",
        items: [
          { content: [{ type: "text", text: "one" }] },
          { content: [{ type: "text", text: "below" }], level: 2 },
        ],
      },
      { type: "paragraph", content: [{ type: "text", text: "a link", link: "https://shop.example/" }] },
    ]);
  });

  test("from a page that means harm: its words, and nothing that runs", async () => {
    const id = await opened();
    await editor.paste({ "text/html": HOSTILE, "text/plain": "Kept words" });
    await has(id, "Thursday");
    const saved = JSON.stringify(await editor.blocksOf(id));
    assert.match(saved, /Kept words/);
    assert.doesNotMatch(saved, /javascript|script|Unseen|iframe|p\.gif/);
    assert.equal(await page.evaluate("globalThis.hurt"), undefined);
    assert.ok((await editor.kinds(id)).includes("table"));
  });

  test("a picture within the HTML is uploaded and described, and never in the mail itself", async () => {
    const id = await opened();
    await editor.paste({
      "text/html": `<p>Look</p><img src="data:image/png;base64,${PNG}">`,
      "text/plain": "Look",
    });
    await page.getByLabel("Description").fill("A red dot");
    await page.getByRole("button", { name: "Insert", exact: true }).click();
    await editor.becomes(id, (blocks) => blocks.some(({ type }) => type === "image"));
    const saved = await editor.blocksOf(id);
    assert.doesNotMatch(JSON.stringify(saved), /data:/);
    const image = saved.find(({ type }) => type === "image");
    assert.ok(image?.type === "image" && image.alt === "A red dot" && /\/files\//.test(image.src));
    await editor.root().getByRole("img", { name: "A red dot" }).waitFor();
  });

  test("a picture that lies beside the HTML as a file is uploaded, whatever the HTML calls it", async () => {
    const id = await opened();
    const bytes = `Uint8Array.from(atob("${PNG}"), (char) => char.charCodeAt(0))`;
    await editor.pasteMade(
      `{ "text/html": '<p>Beside</p><img src="blob:https://docs.example/1">', "text/plain": "Beside", file: new File([${bytes}], "dot.png", { type: "image/png" }) }`,
    );
    await page.getByLabel("Description").fill("A dot");
    await page.getByRole("button", { name: "Insert", exact: true }).click();
    await editor.becomes(id, (blocks) => blocks.some(({ type }) => type === "image"));
    const saved = JSON.stringify(await editor.blocksOf(id));
    assert.match(saved, /Beside/);
    assert.doesNotMatch(saved, /blob:/);
  });

  test("a picture of another server stays there and isn't asked for; one that nobody can reach is told of", async () => {
    const id = await opened();
    // The preview shows the pictures of others when somebody wants them, and its policy stops them until then.
    await page.keyboard.press("Control+\\");
    await page.locator(".mail-frames").first().waitFor({ state: "detached" });
    await editor.paste({
      "text/html":
        '<p>Far</p><img src="https://shop.example/far.jpg" alt="Far away"><img src="blob:https://docs.example/2"><img src="file:///c:/x.png">',
      "text/plain": "Far",
    });
    await page.getByText("2 pictures couldn't be pasted", { exact: false }).waitFor();
    await editor.becomes(id, (blocks) => blocks.some(({ type }) => type === "image"));
    const image = (await editor.blocksOf(id)).find(({ type }) => type === "image");
    assert.deepEqual(image, {
      id: image?.id,
      type: "image",
      src: "https://shop.example/far.jpg",
      alt: "Far away",
    });
    await editor.root().getByText("Picture from shop.example, shown in the preview").waitFor();
    assert.deepEqual(
      editor.watched.faults.filter((fault) => fault.startsWith("asked")),
      [],
    );
  });

  test("what calls itself blocks of ours, and has attributes that no block has, comes in as its words", async () => {
    const id = await opened();
    const slice = (attrs: object) =>
      JSON.stringify({
        content: [{ type: "button", attrs: { id: "x", ...attrs }, content: [{ type: "text", text: "Go" }] }],
      });
    for (const attrs of [
      { link: "javascript:globalThis.hurt=1" },
      { link: "https://shop.example/", background: "#fff;position:fixed;inset:0" },
      { link: "https://shop.example/", only_for: { type: "tag", tag: "{{ x }}", has: true } },
    ])
      await editor.paste({ "application/x-postrider-blocks": slice(attrs), "text/plain": " as words" });
    await has(id, "Before as words as words as words");
    assert.deepEqual(await editor.kinds(id), ["text", "footer"]);
    await editor.paste({ "application/x-postrider-blocks": slice({ link: "https://shop.example/" }) });
    await editor.becomes(id, (blocks) => blocks[1]?.type === "button");
  });

  test("a picture within a link keeps it, and one within a link that does harm doesn't", async () => {
    const id = await opened();
    // Nothing of another server is asked for while there is no preview.
    await page.keyboard.press("Control+\\");
    await page.locator(".mail-frames").first().waitFor({ state: "detached" });
    const img = (name: string) => `<img src="https://shop.example/${name}.jpg" alt="${name}">`;
    await editor.paste({
      "text/html": `<p>Shop</p><a href="https://shop.example/one"><div>${img("one")}</div></a><h2><a href=" https://shop.example/two ">${img("two")}</a></h2><a href="javascript:alert(1)">${img("three")}</a>`,
      "text/plain": "Shop",
    });
    await editor.becomes(id, (blocks) => blocks.filter(({ type }) => type === "image").length === 3);
    const links = (await editor.blocksOf(id)).flatMap((one) => (one.type === "image" ? [one.link] : []));
    assert.deepEqual(links, ["https://shop.example/one", "https://shop.example/two", undefined]);
  });

  test("that fonts, sizes and backgrounds are left out is said", async () => {
    const id = await opened();
    const said = page.getByText("Fonts, sizes and backgrounds were left out", { exact: false });
    await editor.paste({ "text/html": "<p><b>Plain</b></p>", "text/plain": "Plain" });
    await has(id, "Plain");
    assert.equal(await said.count(), 0);
    await editor.paste({
      "text/html": '<p style="font-family: Papyrus; background: #ff0">Lettered</p>',
      "text/plain": "Lettered",
    });
    await said.waitFor();
    await has(id, "Lettered");
  });

  test("40 MB with pictures in them leave the words, and the page answers", async () => {
    const id = await opened();
    const picture = `'<img src="data:image/png;base64,' + "A".repeat(20_000_000) + '">'`;
    await editor.pasteMade(
      `{ "text/html": "<p>Large indeed</p>" + (${picture}).repeat(2), "text/plain": "Large indeed" }`,
    );
    await has(id, "Large indeed");
    await page.getByText("2 pictures couldn't be pasted", { exact: false }).waitFor();
    assert.doesNotMatch(JSON.stringify(await editor.blocksOf(id)), /data:/);
  });

  test("a block that is duplicated keeps everything, under an id of its own", async () => {
    const button = {
      id: "b",
      type: "button" as const,
      label: [{ type: "text" as const, text: "Go" }],
      link: "https://shop.example/",
      background: "#112233",
      only_for: { type: "tag" as const, tag: "VIP", has: true },
    };
    const id = await editor.openBlocks([button, footer]);
    await editor.block("b").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+d");
    await editor.becomes(id, (blocks) => blocks.length === 3);
    const [first, second] = await editor.blocksOf(id);
    assert.deepEqual({ ...second, id: "b" }, first);
  });

  test("a file that is no picture, or too large, says so; one that is dropped is uploaded", async () => {
    const id = await opened();
    await editor.dropFile({ name: "notes.pdf", type: "application/pdf", bytes: "new Uint8Array(10)" });
    await page.getByText(/“notes.pdf” is no picture/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await editor.dropFile({ name: "large.png", type: "image/png", bytes: "new Uint8Array(11 * 1048576)" });
    await page.getByText(/“large.png” has 11 MB; a picture may have 10/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    const bytes = `Uint8Array.from(atob("${PNG}"), (char) => char.charCodeAt(0))`;
    await editor.dropFile({ name: "dot.png", type: "image/png", bytes });
    await page.getByLabel("It is only decoration").check();
    await page.getByRole("button", { name: "Insert", exact: true }).click();
    await editor.becomes(id, (blocks) => blocks[1]?.type === "image" && blocks[1].alt === "");
    await finish(editor.watched);
  });
});
