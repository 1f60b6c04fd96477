/** Writes campaigns in the dashboard: what is typed is saved, explained, kept as versions and tried out. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import { type ComposerTest, HTML, startComposer } from "../support/composer.ts";
import { assertAccessible, finish, holdUndo, MOST_MS, OWNER, press } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

describe("the composer", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let composer: ComposerTest;
  let page: Page;
  before(async () => {
    composer = await startComposer();
    page = composer.page;
  });
  after(async () => {
    await composer?.dashboard.stop();
  });

  test("it takes the whole window, saves what is typed by itself, and leads back to the campaigns", async () => {
    const { campaign, atEnd, saved, made, open, isSaved } = composer;
    const id = await made();
    await open(id);
    assert.equal(await page.getByRole("complementary").count(), 0);
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), "Winter\nRename");
    await atEnd("Subject");
    await page.keyboard.type(" of 2026");
    await atEnd("Preview text");
    await page.keyboard.type("Twelve books");
    await saved();
    await isSaved(id, { subject: "Winter news of 2026", preview_text: "Twelve books" });
    await page.getByRole("button", { name: /^Winter/ }).click();
    await page.getByLabel("Name of the campaign").fill("Winter letter");
    await page.keyboard.press("Enter");
    await page.getByRole("switch", { name: "Count opens" }).uncheck();
    await page.keyboard.press("Control+s");
    await isSaved(id, { name: "Winter letter", tracking: { opens: false, clicks: true } });
    await atEnd("Subject");
    await page.keyboard.type("!");
    await page.getByRole("link", { name: "Campaigns", exact: true }).click();
    await page.getByRole("heading", { name: "Campaigns", level: 1 }).waitFor();
    assert.equal((await campaign(id)).subject, "Winter news of 2026!");
  });

  test("one request is under way at a time, and nothing that is typed meanwhile is lost", async () => {
    const { state, atEnd, saved, made, open, isSaved } = composer;
    const id = await made();
    await open(id);
    let most = 0;
    let underWay = 0;
    await page.route(`**/v1/campaigns/${id}`, async (route) => {
      if (route.request().method() !== "PATCH") return route.fallback();
      most = Math.max(most, ++underWay);
      const answer = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      underWay--;
      await route.fulfill({ response: answer });
    });
    await atEnd("Subject");
    await page.keyboard.type(" one");
    await state("Saving");
    await page.keyboard.press("Control+s");
    for (const word of [" two", " three", " four"]) await page.keyboard.type(word, { delay: 90 });
    await isSaved(id, { subject: "Winter news one two three four" });
    await saved();
    assert.equal(most, 1);
    await page.unroute(`**/v1/campaigns/${id}`);
  });

  test("what is refused stands at its field, and the rest is saved", async () => {
    const { field, state, atEnd, saved, made, open, isSaved } = composer;
    const id = await made();
    await open(id);
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await field("Sender's address").fill("not an address");
    await atEnd("Subject");
    await page.keyboard.type("?");
    await state("Not saved: see the red fields");
    assert.equal(await field("Sender's address").getAttribute("aria-invalid"), "true");
    await isSaved(id, { subject: "Winter news?", from_email: null });
    await page.getByText("Left empty, it is letters@fernhill.example.").waitFor({ state: "detached" });
    await field("Sender's address").fill("ada@fernhill.example");
    await saved();
    await isSaved(id, { from_email: "ada@fernhill.example" });
    await field("Sender's address").fill("");
    await page.getByText("Left empty, it is letters@fernhill.example.").waitFor();
    await isSaved(id, { from_email: null });
  });

  test("variables are chips to the caret, and Liquid when they are copied", async () => {
    const { field, made, open, isSaved } = composer;
    const id = await made({ subject: 'Dear {{ first_name | default: "reader" }}, hello' });
    await open(id);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const chip = page.locator(".cm-chip");
    await chip.waitFor();
    assert.match(
      (await field("Subject").textContent()) ?? "",
      /^Dear variable First name, or “reader”, hello/,
    );
    await field("Subject").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Control+c");
    assert.equal(
      await page.evaluate("navigator.clipboard.readText()"),
      'Dear {{ first_name | default: "reader" }}, hello',
    );
    // From behind the chip one step back is before it, and one key deletes it.
    await page.keyboard.press("Home");
    for (let step = 0; step < 6; step++) await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Backspace");
    await chip.waitFor({ state: "detached" });
    await isSaved(id, { subject: "Dear , hello" });
    await page.keyboard.press("Control+z");
    await chip.waitFor();
    await isSaved(id, { subject: 'Dear {{ first_name | default: "reader" }}, hello' });
    await page.keyboard.press("End");
    await page.keyboard.press("Tab");
    assert.equal(
      await page.evaluate("document.activeElement?.getAttribute('aria-label')"),
      "Insert a variable: Subject",
    );
    await page.keyboard.press("Enter");
    await page.getByLabel("Where it is empty, say").fill("you");
    // The last look would come to lie under this small window, and typing go on behind both.
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.keyboard.type("!");
    await isSaved(id, {
      subject: 'Dear {{ first_name | default: "reader" }}, hello{{ last_name | default: "you" }}!',
    });
    assert.equal(await chip.count(), 2);
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.keyboard.type(" {{ email }}");
    await until(async () => (await chip.count()) === 3);
    // The key of the page for the last look is heard in this line too.
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("the audience is explained as the API explains it, and each reason leads to those people", async () => {
    const { api, listId, made, open, isSaved } = composer;
    const people = (await api("GET", `/v1/subscribers?list_id=${listId}&tag=letter`)).data;
    for (const { id } of people.slice(0, 2)) await api("POST", `/v1/subscribers/${id}/unsubscribe`);
    await api("POST", "/v1/suppressions", { email: people[2].email });
    const rules = { field: "tag", op: "has", value: "letter" };
    const segment = await api("POST", "/v1/segments", { name: "Letter readers", rules });
    const id = await made();
    await open(id);
    await page.getByText("12 are on the list.").waitFor();
    await page.getByRole("button", { name: /^Segment/ }).click();
    await page.getByLabel("Search the segments").fill("letter");
    await page.getByRole("button", { name: "Letter readers" }).click();
    await page.getByText("8 match.").waitFor();
    await isSaved(id, { segment_id: segment.id });
    const audience = await api("GET", `/v1/campaigns/${id}/audience`);
    await page.locator(".audience-get", { hasText: `${audience.will_get} will get it` }).waitFor();
    assert.deepEqual(
      audience.excluded.filter(({ rule }: { rule: string }) => rule !== "not_in_segment"),
      [
        { rule: "unsubscribed", count: 2 },
        { rule: "suppressed", count: 1 },
      ],
    );
    await page.getByRole("link", { name: "2 unsubscribed" }).click();
    await page.getByRole("heading", { name: "Subscribers", level: 1 }).waitFor();
    await page.locator(".table-total").getByText("2").waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "1 suppressed" }).click();
    await page.getByText("they are suppressed").waitFor();
    await page.getByText(people[2].email).waitFor();
    await until(async () => (await page.locator("tbody tr").count()) === 1);
    await page.goBack();
    await page.getByRole("button", { name: "Everybody on the list instead" }).click();
    await page.getByText("12 are on the list.").waitFor();
    await isSaved(id, { segment_id: null });
  });

  test("a list is found by its name among many, and a segment of another list goes", async () => {
    const { api, listId, made, open, isSaved } = composer;
    for (let n = 0; n < 60; n++) await api("POST", "/v1/lists", { name: `List ${n}` });
    const target = await api("POST", "/v1/lists", { name: "The far one" });
    for (let n = 0; n < 60; n++) await api("POST", "/v1/lists", { name: `Later list ${n}` });
    const rules = { field: "tag", op: "has", value: "letter" };
    const segment = await api("POST", "/v1/segments", { name: "Of the first", list_id: listId, rules });
    const id = await made({ segment_id: segment.id });
    await open(id);
    await page.getByRole("button", { name: /^List/ }).click();
    await page.getByLabel("Search the lists").fill("FAR ONE");
    await page.getByRole("button", { name: "The far one" }).waitFor();
    await page.keyboard.press("Enter");
    await isSaved(id, { list_id: target.id, segment_id: null });
    await page.getByText("0 are on the list.").waitFor();
  });

  test("content changes its language with care, and its text part is written or made", async () => {
    const { campaign, made, open, isSaved, inDialog } = composer;
    const id = await made();
    await open(id);
    const content = page.getByRole("region", { name: "Content" });
    const kind = (name: string) => content.getByRole("button", { name, exact: true }).click();
    await kind("MJML");
    await inDialog("Keep it as one block");
    await holdUndo(page);
    await until(async () => (await campaign(id)).mjml?.includes("<mj-raw>"));
    assert.ok((await campaign(id)).mjml.includes(HTML));
    assert.equal((await campaign(id)).html, null);
    await press(page, "Undo");
    await isSaved(id, { mjml: null, html: HTML });
    await kind("Text part");
    await page.getByRole("heading", { name: "Made from the mail" }).waitFor();
    await press(page, "Write your own");
    await content.getByRole("textbox").click();
    await page.keyboard.type("Plain words");
    await isSaved(id, { text: "Plain words" });
    await press(page, "Make it from the mail");
    await isSaved(id, { text: null });
  });

  test("versions say who wrote them and what differs; going back is undone as easily", async () => {
    const { api, field, atEnd, made, open, isSaved, inDialog } = composer;
    const id = await made({ subject: "First words" });
    await open(id);
    await atEnd("Subject");
    await page.keyboard.type(", and more");
    await isSaved(id, { subject: "First words, and more" });
    await press(page, "Versions");
    const line = (name: RegExp) => page.getByRole("dialog").getByRole("button", { name });
    await line(/^Version 2.*Now/).waitFor();
    await line(/^Version 1.*The key “/).click();
    const differences = page.locator(".difference-cell");
    await differences.first().waitFor();
    assert.deepEqual(
      (await differences.allInnerTexts()).map((text) => text.split("\n").at(-1)),
      ["First words", "First words, and more"],
    );
    await inDialog("Go back to version 1");
    await holdUndo(page);
    await isSaved(id, { subject: "First words" });
    await until(async () => (await field("Subject").innerText()) === "First words");
    await press(page, "Undo");
    await isSaved(id, { subject: "First words, and more" });
    const numbers = (await api("GET", `/v1/campaigns/${id}/versions`)).data;
    assert.equal(numbers.length, 4);
  });

  test("a test goes to the sandbox inbox, as somebody on the list would get it", async () => {
    const { made, open, inDialog } = composer;
    const id = await made({ subject: "For {{ first_name }}" });
    await open(id);
    await press(page, "Send a test");
    const to = page.getByRole("dialog").getByRole("textbox", { name: "To", exact: true });
    assert.equal(await to.inputValue(), OWNER);
    await to.fill("one@example.com, nonsense");
    await inDialog("Send the test");
    await page
      .getByRole("dialog")
      .getByText(/nonsense|address/i)
      .last()
      .waitFor();
    await to.fill("one@example.com two@example.com");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /made.up/i })
      .click();
    await page.getByRole("combobox", { name: "Address or name" }).fill("Reader11");
    await page.getByRole("option", { name: /Reader11/ }).click();
    await inDialog("Send the test");
    await page.getByText("It is in the sandbox inbox, for one@example.com and two@example.com.").waitFor();
    await page.getByRole("link", { name: "Open the inbox" }).click();
    await page
      .getByRole("link", { name: /two@example.com/ })
      .first()
      .waitFor();
    await page.getByText("For Reader11").first().waitFor();
  });

  test("it can be used by everybody, wide and on a telephone", async () => {
    const { watched, made, open } = composer;
    const id = await made({ subject: '{{ first_name | default: "reader" }}, hello', html: HTML.repeat(100) });
    await open(id);
    await page.locator(".cm-chip").waitFor();
    await page.waitForLoadState("networkidle");
    await assertAccessible(page, "composer");
    assert.equal(await page.evaluate("document.scrollingElement.scrollHeight - innerHeight"), 0);
    await page.setViewportSize({ width: 360, height: 780 });
    await assertAccessible(page, "composer on a telephone");
    const editor = await page.locator(".code-area").boundingBox();
    assert.ok((editor?.height ?? 780) < 780, "a long mail scrolls in its editor, not under it");
    const order = await page
      .locator(".composer-to, .composer-stage, .mail-preview, .checks")
      .evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().top));
    assert.deepEqual(
      order,
      order.toSorted((a, b) => a - b),
    );
    await page.setViewportSize({ width: 1_440, height: 900 });
    await finish(watched);
  });
});
