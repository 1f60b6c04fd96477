import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  holdUndo,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { picture } from "../support/images.ts";
import { until } from "../support/until.ts";

const MJML = `<mjml>
  <mj-body>
    <mj-section>
      <mj-column>
        <mj-text>Dear {{ first_name }},</mj-text>
        <mj-image src="/media/garden.png" />
        <mj-text>{{ nothing_known }}</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`;

describe("the editor of a mail, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
    listId = (await api("GET", "/v1/lists")).data[0].id;
    await api("POST", "/v1/fields", { key: "city", name: "City", type: "text" });
    await api("POST", "/v1/subscribers", {
      email: "priya@example.com",
      first_name: "Priya",
      list_id: listId,
      fields: { city: "Otley" },
    });
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const box = (name: string) => page.getByRole("textbox", { name, exact: true });
  const hasFocus = (one: ReturnType<typeof box>) => one.evaluate((element) => element.matches(":focus"));
  const dialog = () => page.getByRole("dialog");
  /** Opens a new campaign with this content, and returns what is saved of it later. */
  const open = async (content: object) => {
    const made = await api("POST", "/v1/campaigns", {
      name: "A mail",
      list_id: listId,
      subject: "News",
      ...content,
    });
    await page.goto(`${dashboard.app.baseUrl}/campaigns/${made.id}/edit`);
    return async () => api("GET", `/v1/campaigns/${made.id}`);
  };
  const savedAs = async (
    read: () => Promise<{ html: string | null; mjml: string | null }>,
    wanted: RegExp,
  ) => {
    let content = "";
    const isSaved = async () => {
      const { html, mjml } = await read();
      content = mjml ?? html ?? "";
      return wanted.test(content);
    };
    await until(isSaved).catch(() => assert.match(content, wanted));
  };
  /** Takes the first option by its key, which the editor heeds once its list has been there for 75 ms of the page's clock. */
  const takeFirst = async (option: ReturnType<typeof box>) => {
    await option.waitFor();
    const now = () => page.evaluate<number>("Date.now()");
    const seenMs = await now();
    await until(async () => (await now()) - seenMs > 75);
    await page.keyboard.press("Enter");
  };

  test("completes a variable with the value that somebody has, and the mail is saved with it", async () => {
    const read = await open({ html: "<p>Dear </p>" });
    const editor = box("Content, as HTML");
    await editor.click();
    await page.keyboard.press("Control+Home");
    for (let n = 0; n < "<p>Dear ".length; n++) await page.keyboard.press("ArrowRight");
    await page.keyboard.type("{{fi");
    await page.getByText("Variables that begin with “fi”").waitFor();
    await page.getByRole("option", { name: /^fields\.city\s*Sample$/ }).waitFor();
    await takeFirst(page.getByRole("option", { name: /^first_name\s*Ada$/ }));
    await savedAs(read, /^<p>Dear \{\{ first_name \}\}<\/p>$/);
    // Behind Escape, Tab leaves the editor; before that it indents.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await hasFocus(editor), false);
  });

  test("completes the tags and attributes of MJML, and Liquid's tags and filters", async () => {
    const read = await open({ mjml: "<mjml>\n  <mj-body>\n    \n  </mj-body>\n</mjml>" });
    const editor = box("Content, as MJML");
    await editor.getByText("<mj-body>").waitFor();
    await editor.click();
    await page.keyboard.press("Control+Home");
    for (let n = 0; n < 2; n++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("End");
    await page.keyboard.type("<mj-");
    const option = (name: string) => page.getByRole("option", { name, exact: true });
    await option("mj-section").waitFor();
    assert.equal(await option("mj-image").count(), 0, "a picture stands in no body without a column");
    await page.keyboard.type("section pad");
    await option("padding-left").waitFor();
    await page.keyboard.type('ding="0"><mj-raw>{%i');
    await takeFirst(option("if"));
    await page.keyboard.type("first_name | upc");
    await takeFirst(option("upcase"));
    await savedAs(read, /<mj-section padding="0"><mj-raw>\{% if first_name \| upcase ?%\}/);
  });

  test("marks what checks found, and leads to the place", async () => {
    await open({ mjml: MJML });
    const editor = box("Content, as MJML");
    await editor.locator(".cm-lintRange-error", { hasText: "nothing_known" }).waitFor();
    await editor.locator(".cm-lintRange-warning", { hasText: "garden.png" }).first().waitFor();
    assert.ok((await page.locator(".cm-lint-marker-error").count()) > 0, "a dot stands beside the line");
    const check = page
      .getByRole("listitem")
      .filter({ hasText: "Nothing is known by the name nothing_known" });
    await check.getByRole("button", { name: "Show" }).click();
    await until(() => hasFocus(editor));
    await page.keyboard.type("email");
    await editor.getByText("{{ email }}").waitFor();
  });

  test("a template takes the place of what is written when that is agreed to, and can be undone", async () => {
    const read = await open({ html: "<p>Words that I wrote</p>", preview_text: null });
    await box("Content, as HTML").getByText("Words that I wrote").waitFor();
    await press(page, "Templates");
    await page.frameLocator('iframe[title="Catalogue, as it looks"]').getByText("YOUR SHOP").waitFor();
    await assertAccessible(page, "templates");
    await page.getByRole("button", { name: "Catalogue" }).click();
    await dialog()
      .filter({ hasText: "Replace what is written?" })
      .getByRole("button", { name: "Replace it" })
      .click();
    await holdUndo(page);
    await box("Content, as MJML").getByText("<mj-body").waitFor();
    await savedAs(read, /^<mjml lang="en">/);
    const taken = await read();
    assert.deepEqual(
      [taken["subject"], taken["preview_text"]],
      ["News", "Three things that are worth your time"],
    );
    await press(page, "Undo");
    await box("Content, as HTML").getByText("Words that I wrote").waitFor();
    await savedAs(read, /Words that I wrote/);
  });

  test("a template replaces HTML in one step that the editor undoes", async () => {
    const read = await open({ html: "<p>Words that I wrote</p>" });
    const editor = box("Content, as HTML");
    await editor.getByText("Words that I wrote").waitFor();
    await press(page, "Templates");
    await page.getByRole("button", { name: "Letter", exact: true }).click();
    await press(page, "Replace it");
    await savedAs(read, /^<!DOCTYPE html>/);
    await editor.click();
    await page.keyboard.press("Control+z");
    await savedAs(read, /^<p>Words that I wrote<\/p>$/);
  });

  test("a picture that is pasted is uploaded, described and inserted; what is no picture is told so", async () => {
    const read = await open({ mjml: MJML });
    const editor = box("Content, as MJML");
    await editor.getByText("<mj-body>").waitFor();
    await press(page, "Pictures");
    const chooser = page.locator('input[type="file"]');
    await chooser.setInputFiles({
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("no picture"),
    });
    await page.getByText("“notes.txt” is no picture that mail programs show.").waitFor();
    const large = Buffer.alloc(10 * 1_048_576 + 1);
    await chooser.setInputFiles({ name: "large.png", mimeType: "image/png", buffer: large });
    await page.getByText("“large.png” has 11 MB; a picture may have 10.").waitFor();
    await chooser.setInputFiles({
      name: "broken.png",
      mimeType: "image/png",
      buffer: Buffer.from("no picture"),
    });
    await page.getByText("“broken.png” is no picture that mail programs show.").waitFor();
    await assertAccessible(page, "pictures");
    await page.keyboard.press("Escape");
    await dialog().waitFor({ state: "hidden" });

    await editor.click();
    await page.keyboard.press("Control+End");
    await page.evaluate(paste((await picture("png", 900, 300)).toString("base64")));
    await page.getByLabel("Description").waitFor();
    await press(page, "Insert");
    await page.getByText("Describe it in a few words").waitFor();
    await page.getByLabel("Description").fill('A "small" garden {{ here }}');
    assert.equal(await page.getByLabel("Width in pixels").inputValue(), "600");
    await assertAccessible(page, "describe a picture");
    await press(page, "Insert");
    await dialog().waitFor({ state: "hidden" });
    await savedAs(
      read,
      /<\/mjml><mj-image src="http[^"]+\/files\/fil_\w+" alt="A &quot;small&quot; garden &#123;&#123; here }}" width="600px" \/>$/,
    );
  });

  test("the menu of variables inserts where the cursor is", async () => {
    const read = await open({ html: "<p>Dear reader</p>" });
    const editor = box("Content, as HTML");
    await editor.getByText("Dear reader").waitFor();
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.getByRole("button", { name: "Variables", exact: true }).click();
    await page.getByRole("menuitem", { name: /fields\.city/ }).waitFor();
    await assertAccessible(page, "the menu of variables");
    await page.getByRole("menuitem", { name: /fields\.city/ }).click();
    await savedAs(read, /^<p>Dear reader<\/p>\{\{ fields\.city \}\}$/);
    await assertAccessible(page, "composer");
  });

  test("single letters are typed there, and are no keys of the page", async () => {
    const read = await open({ html: "<p></p>" });
    const editor = box("Content, as HTML");
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("gc?/");
    await savedAs(read, /gc\?\/$/);
    assert.match(page.url(), /\/edit/);
  });

  test("no page of it broke the policy", async () => {
    await finish(watched);
  });
});

/** A paste with a file in it can't be made from outside of the page. */
const paste = (base64: string) => `(() => {
  const bytes = Uint8Array.from(atob("${base64}"), (char) => char.charCodeAt(0));
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([bytes], "garden.png", { type: "image/png" }));
  const editor = document.querySelector(".code-area").shadowRoot.querySelector("[contenteditable]");
  editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true, composed: true }));
})()`;
