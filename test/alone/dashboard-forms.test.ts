/** Sign-up forms, mailboxes and providers' addresses in the dashboard: made, changed, looked at, and taken away. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { until } from "../support/until.ts";

describe("forms and what comes back", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    await dashboard.ask("POST", "/v1/lists", { name: "Letter" });
    await dashboard.ask("POST", "/v1/fields", { key: "city", name: "City", type: "text" });
    watched = await dashboard.openAsOwner("/forms");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const dialog = () => page.getByRole("dialog");
  const shownPage = () => page.frameLocator("iframe.front").locator("body");
  const idInAddress = () => page.url().split("/").at(-1) as string;

  test("a form begins with a name and a list, and has its page at once", async () => {
    await page.getByRole("heading", { name: "No form yet" }).waitFor();
    await press(page, "New form");
    await dialog().getByLabel("Name").fill("Shop counter");
    await dialog().getByRole("combobox", { name: "List" }).selectOption({ label: "Letter" });
    await dialog().getByRole("button", { name: "New form" }).click();
    await page.waitForURL(/\/forms\/frm_/);
    await page.getByRole("heading", { name: "Shop counter", level: 1 }).waitFor();
    const form = await dashboard.ask("GET", `/v1/forms/${idInAddress()}`);
    assert.deepEqual([form.name, form.status, form.double_opt_in], ["Shop counter", "active", true]);
    assert.equal((await fetch(form.url)).status, 200);
    await shownPage().getByRole("textbox").first().waitFor();
  });

  test("what it asks and says is shown while it is typed, and saved as it is shown", async () => {
    const id = idInAddress();
    await page.getByLabel(/^Heading \(/).fill("Come in & read");
    await shownPage().getByRole("heading", { name: "Come in & read" }).waitFor();
    await page.getByRole("combobox", { name: /^Ask for/ }).selectOption({ label: "City" });
    await page.getByRole("combobox", { name: /^Ask for/ }).selectOption({ label: "First name" });
    await page.getByLabel("Label of City").fill("Where do you live?");
    await shownPage().getByText("Where do you live?").waitFor();
    await page.getByRole("button", { name: "Move First name up" }).press("Enter");
    await page.getByRole("checkbox", { name: "Required" }).nth(1).check();
    await page.getByLabel("Tags for new people").fill("shop, counter");
    await press(page, "Save");
    await page.getByText("“Shop counter” is saved").waitFor();
    const form = await dashboard.ask("GET", `/v1/forms/${id}`);
    assert.equal(form.texts.title, "Come in & read");
    assert.deepEqual(
      form.fields.map((field: { name: string; label: string | null; required: boolean }) => [
        field.name,
        field.label,
        field.required,
      ]),
      [
        ["email", null, true],
        ["first_name", null, true],
        ["fields.city", "Where do you live?", false],
      ],
    );
    assert.deepEqual(form.tags, ["shop", "counter"]);
    await assertAccessible(page, "a form");
  });

  test("an address that can't be gone to is refused at its field, and nothing that was typed is lost", async () => {
    await page.getByLabel("Address after signing up").fill("javascript:alert(1)");
    await press(page, "Save");
    const field = page.locator('[data-fault-place="redirect_url"]');
    await field.locator(".err").waitFor();
    assert.equal(await page.getByLabel("Address after signing up").inputValue(), "javascript:alert(1)");
    await press(page, "Discard");
    await page.getByRole("button", { name: "Discard" }).waitFor({ state: "detached" });
  });

  test("its snippets can be taken, of each kind", async () => {
    const snippet = page.getByRole("region", { name: "Snippet" });
    assert.match(await snippet.innerText(), /<form[\s\S]*action=/);
    await press(page, "Pop-up");
    await until(async () => (await snippet.innerText()).includes("<script"));
  });

  test("a closed form takes nobody, and a deleted one is gone", async () => {
    const id = idInAddress();
    await page.getByLabel("It takes people").uncheck();
    await press(page, "Save");
    await until(async () => (await dashboard.ask("GET", `/v1/forms/${id}`)).status === "paused");
    await page.getByText("Closed").first().waitFor();
    await press(page, "Delete the form");
    await dialog().getByRole("button", { name: "Delete the form" }).click();
    await page.getByRole("heading", { name: "No form yet" }).waitFor();
    assert.deepEqual((await dashboard.ask("GET", "/v1/forms")).data, []);
  });

  test("a mailbox is named, edited without its password, and removed", async () => {
    await page.goto(`${dashboard.app.baseUrl}/inbound/mailboxes`);
    await page.getByRole("heading", { name: "No mailbox is read" }).waitFor();
    await press(page, "New mailbox");
    await dialog().getByLabel("Name", { exact: true }).fill("Bounces");
    await dialog().getByLabel("Server").fill("imap.example.com");
    await dialog().getByLabel("User name").fill("bounces@example.com");
    await dialog().getByLabel("Password", { exact: true }).fill("correct horse");
    await dialog().getByLabel("Mails that were taken").selectOption({ label: "Are moved to a folder" });
    await dialog().getByLabel("Folder to move them to").fill("Done");
    await dialog().getByRole("checkbox", { name: "Don't read it for now" }).check();
    await dialog().getByRole("button", { name: "New mailbox" }).click();
    await page.getByText("“Bounces” will be read").waitFor();
    const [made] = (await dashboard.ask("GET", "/v1/inbound/mailboxes")).data;
    assert.deepEqual([made.after, made.paused, made.port], ["move:Done", true, 993]);
    await press(page, "More for Bounces");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await dialog().getByLabel("Folder", { exact: true }).fill("Returned");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("“Bounces” is saved").waitFor();
    const changed = await dashboard.ask("GET", `/v1/inbound/mailboxes/${made.id}`);
    assert.deepEqual([changed.folder, changed.after], ["Returned", "move:Done"]);
    await press(page, "More for Bounces");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: "Remove the mailbox" }).click();
    await page.getByRole("heading", { name: "No mailbox is read" }).waitFor();
  });

  test("a provider's address is shown once, and another one is made beside it", async () => {
    await page.getByRole("link", { name: "Providers", exact: true }).click();
    await press(page, "New address for a provider");
    await dialog().getByLabel("Provider").selectOption({ label: "Postmark" });
    await dialog().getByRole("button", { name: "New address for a provider" }).click();
    await dialog().getByRole("checkbox", { name: "I have named it to the provider" }).waitFor();
    const url = await dialog().locator(".secret .mono").innerText();
    assert.match(url, /\/inbound\/postmark\//);
    const post = (to: string) =>
      fetch(to, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
    assert.equal((await post(url)).status, 200);
    await dialog().getByRole("checkbox").check();
    await press(page, "Done");
    await press(page, "More for Postmark");
    await page.getByRole("menuitem", { name: "Make another address" }).click();
    await dialog().getByRole("button", { name: "Make another address" }).click();
    await dialog().getByRole("checkbox", { name: "I have named it to the provider" }).check();
    const another = await dialog().locator(".secret .mono").innerText();
    await press(page, "Done");
    assert.notEqual(another, url);
    assert.deepEqual([(await post(url)).status, (await post(another)).status], [200, 200]);
    await press(page, "More for Postmark");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog().getByRole("button", { name: "Remove the address" }).click();
    await page.getByRole("heading", { name: "No provider tells anything" }).waitFor();
    assert.deepEqual([(await post(url)).status, (await post(another)).status], [404, 404]);
  });

  test("nothing went wrong on the way", () => finish(watched));
});
