/** A mail of blocks that two people write, that is gone back with, tried out and left in a hurry: nothing of it is lost. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Page } from "playwright-core";
import PostalMime from "postal-mime";
import {
  type Blocks,
  type BlocksTest,
  footer,
  heading,
  startBlocksEditor,
  text,
} from "../support/blocks-editor.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { assertAccessible, finish, holdUndo, MOST_MS, press } from "../support/dashboard.ts";
import { type Relay, startRelay } from "../support/smtp/relay.ts";
import { until } from "../support/until.ts";

describe("a mail of blocks that several write", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let editor: BlocksTest;
  let page: Page;
  let ada: WatchedPage;
  let relay: Relay;
  before(async () => {
    relay = await startRelay({ authOptional: true });
    editor = await startBlocksEditor({ INTERNAL_HOSTS: "127.0.0.1" });
    page = editor.page;
    ada = await editor.invite("Ada Marsh", "ada@fernhill.example");
  });
  after(async () => {
    await editor?.dashboard.stop();
    await relay?.close();
  });

  const says = (id: string, ...words: string[]) =>
    editor.becomes(id, (blocks) => words.every((one) => JSON.stringify(blocks).includes(one)));
  const reads = async (words: string, on: Page = page) =>
    until(async () => (await editor.root(on).innerText()).includes(words));

  /** Both write at once, and Ada saves first: what is mine waits on its way until then. */
  const clash = async () => {
    const id = await editor.openBlocks([heading("h", "News"), text("t", "One"), footer]);
    const { promise: isFirst, resolve } = Promise.withResolvers<void>();
    await page.route(`**/v1/campaigns/${id}`, async (route) => {
      if (route.request().method() === "PATCH") await isFirst;
      await route.fallback();
    });
    await editor.open(id, ada.page);
    await editor.root(ada.page).waitFor();
    await editor.write("t", " by me");
    await editor.state("Saving");
    await editor.write("h", " by Ada", ada.page);
    await says(id, "News by Ada");
    resolve();
    await editor.state("Changed elsewhere");
    await page.getByText(/^Ada Marsh changed this at .*: Blocks.* Yours isn't saved\.$/).waitFor();
    return id;
  };

  test("whoever saves second sees both, in words, and keeps their own", async () => {
    const id = await clash();
    await editor.write("t", " and on");
    await press(page, "Show both");
    await page.getByRole("heading", { name: "Two people changed this" }).waitFor();
    const cells = await page.locator(".difference-cell").allInnerTexts();
    assert.match(cells.join("\n"), /content: One by me and on/);
    assert.match(cells.join("\n"), /content: News by Ada/);
    assert.doesNotMatch(cells.join("\n"), /[{}]/);
    await assertAccessible(page, "a conflict of blocks");
    await editor.inDialog("Keep mine");
    await says(id, "One by me and on");
    await editor.saved();
    assert.deepEqual((await editor.blocksOf(id))[0], heading("h", "News"));
  });

  test("or takes the other's, and can have their own back by Undo and by the key for it", async () => {
    const id = await clash();
    await press(page, "Take theirs");
    await holdUndo(page);
    await reads("News by Ada");
    assert.doesNotMatch(await editor.root().innerText(), /by me/);
    await page
      .getByRole("region", { name: /Notifications/ })
      .or(page.locator(".toast"))
      .getByRole("button", { name: "Undo" })
      .first()
      .click();
    await says(id, "One by me");
    await editor.root().focus();
    await page.keyboard.press("Control+z");
    await reads("News by Ada");
    await says(id, "News by Ada");
  });

  test("whoever only looks sees what the other writes", async () => {
    const id = await editor.openBlocks([text("t", "One"), footer]);
    await editor.open(id, ada.page);
    await editor.root(ada.page).waitFor();
    await editor.write("t", " by Ada", ada.page);
    await reads("One by Ada");
    await page.getByText(/^Ada Marsh changed this at .* too\./).waitFor();
    await press(page, "Hide");
  });

  test("what was typed a moment before the other's save is heard of stays, and both are shown", async () => {
    const id = await editor.openBlocks([heading("h", "News"), text("t", "One"), footer]);
    await editor.open(id, ada.page);
    await editor.root(ada.page).waitFor();
    // The editor tells the page what is typed when the browser is at rest, and here it never is.
    await page.evaluate("window.requestIdleCallback = () => 0");
    await editor.write("t", " by me");
    await editor.write("h", " by Ada", ada.page);
    await says(id, "News by Ada");
    await editor.state("Changed elsewhere");
    assert.match(await editor.root().innerText(), /One by me/);
    await press(page, "Keep mine");
    await says(id, "One by me");
    await page.reload();
  });

  test("an earlier version is shown in words and gone back to, which is undone in the editor too", async () => {
    const first: Blocks = [heading("h", "First"), text("t", "Words"), footer];
    const id = await editor.openBlocks(first);
    await editor.write("h", " and second");
    await says(id, "First and second");
    await press(page, "Versions");
    const line = (name: RegExp) => page.getByRole("dialog").getByRole("button", { name });
    await line(/^Version 2.*Now/).waitFor();
    await line(/^Version 1/).click();
    const cells = page.locator(".difference-cell");
    await cells.nth(1).waitFor();
    const [then = "", now = ""] = await cells.allInnerTexts();
    assert.match(then, /content: First$/m);
    assert.match(now, /content: First and second$/m);
    await editor.inDialog("Go back to version 1");
    await editor.becomes(id, (blocks) => isDeepStrictEqual(blocks, first));
    await until(async () => !(await editor.root().innerText()).includes("and second"));
    await editor.write("t", " after");
    await says(id, "Words after");
    for (let step = 0; step < 2; step++) await page.keyboard.press("Control+z");
    await reads("First and second");
    await says(id, "First and second");
    await page.keyboard.press("Control+y");
    await editor.becomes(id, (blocks) => isDeepStrictEqual(blocks[0], first[0]));
  });

  test("what was typed last is in a test, which arrives at a server", async () => {
    await editor.api("POST", "/v1/transports", {
      name: "Ours",
      host: "127.0.0.1",
      port: relay.port,
      tls: "never",
      streams: ["campaign", "transactional"],
    });
    const id = await editor.openBlocks([heading("h", "News"), text("t", "One"), footer]);
    await editor.write("t", " two three");
    await press(page, "Send a test");
    await page
      .getByRole("dialog")
      .getByRole("textbox", { name: "To", exact: true })
      .fill("grace@example.com");
    await editor.inDialog("Send the test");
    await until(() => relay.received.some(({ to }) => to.includes("grace@example.com")));
    const mail = await PostalMime.parse(relay.received[0]?.body ?? "");
    assert.match(mail.html ?? "", /One two three/);
    assert.match(mail.text ?? "", /One two three/);
    await says(id, "One two three");
    await page.keyboard.press("Escape");
  });

  test("what was typed last is saved by the key for it, on the way to another page, and when the tab is hidden", async () => {
    const id = await editor.openBlocks([text("t", "One"), footer]);
    await editor.write("t", " two");
    await page.keyboard.press("Control+s");
    await says(id, "One two");
    await editor.write("t", " three");
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
    assert.match(JSON.stringify(await editor.blocksOf(id)), /One two three/);
    await editor.open(id);
    await editor.root().waitFor();
    await editor.write("t", " four");
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
    await says(id, "One two three four");
    await page.reload();
  });

  test("while it can't be saved it says so, keeps what is typed, and saves it later", async () => {
    const id = await editor.openBlocks([text("t", "One"), footer]);
    await page.route(`**/v1/campaigns/${id}`, (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await editor.write("t", " unsaved");
    await editor.state("Not saved, trying again");
    await page.keyboard.type(" and more");
    await page.unroute(`**/v1/campaigns/${id}`);
    await says(id, "One unsaved and more");
    await editor.saved();
  });

  test("blocks are copied and cut to other places and other mails by the clipboard", async () => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const button: Blocks[number] = {
      id: "b",
      type: "button",
      label: [{ type: "text", text: "Go" }],
      link: "https://shop.example/",
      background: "#112233",
      only_for: { type: "tag", tag: "VIP", has: true },
    };
    const first = await editor.openBlocks([button, text("t", "One"), footer]);
    await editor.block("b").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+c");
    await editor.block("t").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+v");
    await editor.becomes(first, (blocks) => blocks.filter(({ type }) => type === "button").length === 2);
    const copies = (await editor.blocksOf(first)).filter(({ type }) => type === "button");
    assert.deepEqual({ ...copies[1], id: "b" }, button);
    assert.notEqual(copies[0]?.id, copies[1]?.id);
    assert.match(JSON.stringify(await editor.blocksOf(first)), /One/);
    await editor.block("b").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+x");
    await editor.becomes(first, (blocks) => blocks.filter(({ type }) => type === "button").length === 1);
    const second = await editor.openBlocks([text("u", "Another mail"), footer]);
    await editor.block("u").click();
    await page.keyboard.press("End");
    await page.keyboard.press("Control+v");
    await editor.becomes(second, (blocks) => blocks.some(({ type }) => type === "button"));
    assert.match(JSON.stringify(await editor.blocksOf(second)), /Another mail/);
    await finish(editor.watched);
    await finish(ada);
  });
});
