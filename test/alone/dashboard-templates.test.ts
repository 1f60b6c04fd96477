/** Templates in the dashboard: begun, written, filled in, published, compared, taken back, and edited by two at once. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import type { WatchedPage } from "../support/browser.ts";
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

const RECEIPT = {
  name: "Receipt",
  subject: "Order {{ order }}",
  html: "<h1>Thank you</h1>\n<p>Order {{ order }} is on its way.</p>\n<p>Yours</p>",
  variables: [{ name: "order", type: "string", required: true, sample: "1042" }],
};

describe("the templates", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/templates");
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const template = (id: string) => dashboard.ask("GET", `/v1/templates/${id}`);
  const made = async (more: object = {}): Promise<string> =>
    (await dashboard.ask("POST", "/v1/templates", { ...RECEIPT, ...more })).id;
  const field = (name: string, on = page) => on.getByRole("textbox", { name, exact: true });
  const open = async (id: string, search = "", on = page) => {
    await on.goto(`${dashboard.app.baseUrl}/templates/${id}${search}`);
    // What lies under an open dialog can't be found.
    await (search.includes("versions") ? on.getByRole("dialog") : field("Subject", on)).waitFor();
  };
  const isSaved = (id: string, wanted: (found: Awaited<ReturnType<typeof template>>) => boolean) =>
    until(async () => wanted(await template(id)));
  const saved = (on = page) =>
    on
      .locator(".save-state")
      .getByText(/^Saved/)
      .first()
      .waitFor();
  const typeAtEnd = async (name: string, text: string, on = page) => {
    await field(name, on).click();
    await on.keyboard.press("Control+End");
    await on.keyboard.type(text);
  };
  const inDialog = (name: string | RegExp) =>
    page.getByRole("dialog").getByRole("button", { name }).first().click();
  const shownMail = () => page.frameLocator("iframe.front").locator("body");
  const publish = async (number: number) => {
    await press(page, /^Publish$/);
    await inDialog(`Publish version ${number}`);
    await page.getByText(`Version ${number} is published`).waitFor();
  };

  test("one begins with a complete mail, under its own name or a better one", async () => {
    await page.getByRole("heading", { name: "No template yet" }).waitFor();
    await press(page, "New template");
    await page.getByRole("button", { name: "Receipt", exact: true }).click();
    await page.waitForURL(/\/templates\/tpl_/);
    await field("Subject").waitFor();
    const id = page.url().split("/").at(-1) as string;
    const found = await template(id);
    assert.deepEqual([found.name, found.variables.length], ["Receipt", 7]);
    await shownMail().getByText("Visa ending in 4242").waitFor();
    await page.getByRole("link", { name: "Templates", exact: true }).click();
    await page.getByRole("link", { name: "Receipt" }).waitFor();
    await press(page, "New template");
    await page.getByRole("button", { name: "Receipt", exact: true }).click();
    await page.getByText("There is a template named Receipt already.").waitFor();
    await page.getByLabel("Name").fill("Reset link");
    await press(page, "Empty, in MJML");
    await page.getByRole("heading", { name: /Reset link/, level: 1 }).waitFor();
    assert.match((await template(page.url().split("/").at(-1) as string)).mjml, /^<mjml>/);
    await dashboard.ask("DELETE", `/v1/templates/${id}`);
  });

  test("what is typed is saved, names are offered, and what is wrong is said at the variable", async () => {
    const id = await made({ name: "Words" });
    await open(id);
    await typeAtEnd("Subject", " of {{ shop }}");
    await typeAtEnd("Content, as HTML", "\n<p>{{ address.city }}</p>");
    await isSaved(id, ({ subject, html }) => subject.endsWith("{{ shop }}") && html.includes("address.city"));
    await saved();
    await page.getByText("Nothing is known by the name shop.").waitFor();
    await press(page, "Declare address");
    await press(page, "Declare shop");
    await isSaved(id, ({ variables }) => variables.length === 3);
    assert.deepEqual(
      (await template(id)).variables
        .slice(1)
        .map((one: { name: string; type: string }) => [one.name, one.type]),
      [
        ["address", "object"],
        ["shop", "string"],
      ],
    );
    await page.getByRole("button", { name: "Variables", exact: true }).first().click();
    await field("Sample of address").fill('{"city": "Leeds"');
    await page.locator(".variable-fault").getByText("Must be an object.").waitFor();
    assert.equal(await field("Sample of address").getAttribute("aria-invalid"), "true");
    await field("Sample of address").fill('{"city": "Leeds"}');
    await field("Sample of shop").fill("Fernhill");
    await field("Name of the new variable").fill("total");
    await page.keyboard.press("Enter");
    await page.getByLabel("Type of total").selectOption("number");
    await field("Default of total").fill("1.50");
    await page.getByLabel("total is required").check();
    await isSaved(
      id,
      ({ variables }) => variables[1].sample?.city === "Leeds" && variables[3]?.default === 1.5,
    );
    assert.equal((await template(id)).variables[3].required, true);
    await shownMail().getByText("Leeds").waitFor();
    await page.getByText("Nothing is known by the name shop.").waitFor({ state: "detached" });
    await press(page, "Remove total");
    await isSaved(id, ({ variables }) => variables.length === 3);
    await press(page, "Undo");
    await isSaved(id, ({ variables }) => variables.length === 4);
  });

  test("it is rendered with values as JSON, strictly where it is wanted", async () => {
    await open(await made({ name: "Values" }));
    await shownMail().getByText("Order 1042 is on its way.").waitFor();
    await press(page, "JSON");
    const json = page.getByLabel("Values as JSON");
    await json.fill('{"order": "77 & co"}');
    await shownMail().getByText("Order 77 & co is on its way.").waitFor();
    await json.fill('{"order": 77}');
    await page.getByText(/“order”: must be text/).waitFor();
    await json.fill("{");
    await page.getByText(/This isn't JSON yet/).waitFor();
    await json.fill("{}");
    await page.getByText("No value for order.").waitFor();
    await page.getByLabel("Refuse what is missing, as mail does").check();
    await page.getByText(/“order”: the template can't do without it/).waitFor();
    await page.getByRole("button", { name: "Variables", exact: true }).first().click();
    await page.locator(".variable-fault").getByText("the template can't do without it").waitFor();
  });

  test("publishing shows what changes, refuses what can't be mail, and leads to the place", async () => {
    const id = await made({ name: "Published" });
    await open(id);
    await publish(1);
    assert.equal((await template(id)).published_version, 1);
    await typeAtEnd("Content, as HTML", "\n<p>{% if order %}</p>");
    await press(page, /^Publish$/);
    const dialog = page.getByRole("dialog");
    await dialog.locator(".diff-line.added").getByText("{% if order %}").waitFor();
    await inDialog("Publish version 2");
    await dialog.getByText("It can't be published yet").waitFor();
    await inDialog("Show");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Checks").waitFor();
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await isSaved(id, ({ html }) => !html.includes("{% if"));
  });

  test("two versions or a version and the draft are compared, and the draft goes back", async () => {
    const id = await made({ name: "Compared" });
    await dashboard.ask("POST", `/v1/templates/${id}/publish`);
    await dashboard.ask("PATCH", `/v1/templates/${id}`, {
      html: RECEIPT.html.replace("Yours", "Yours, Fernhill"),
      variables: [{ ...RECEIPT.variables[0], required: false }],
    });
    await dashboard.ask("POST", `/v1/templates/${id}/publish`);
    await dashboard.ask("PATCH", `/v1/templates/${id}`, { subject: "Your order {{ order }}" });
    await open(id, "?versions=true");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("region", { name: "Subject" }).waitFor();
    assert.equal(await dialog.getByRole("region", { name: "HTML" }).count(), 0);
    await dialog.getByRole("button", { name: /^Version 1/ }).click();
    await dialog.getByRole("region", { name: "HTML" }).locator("mark").getByText(", Fernhill").waitFor();
    await dialog.getByRole("region", { name: "Variables" }).getByText("order: string, sample 1042").waitFor();
    await dialog.getByLabel("After").selectOption("Version 2");
    await dialog.getByRole("region", { name: "Subject" }).waitFor({ state: "detached" });
    assert.match(page.url(), /from=1.*to=2/);
    await inDialog("Take the draft back to version 1");
    await page.getByText("The draft says what version 1 says").waitFor();
    await isSaved(id, ({ subject, html }) => subject === RECEIPT.subject && html === RECEIPT.html);
    await press(page, "Undo");
    await isSaved(id, ({ subject }) => subject === "Your order {{ order }}");
  });

  test("two texts of half a megabyte are compared while the page answers", async () => {
    const long = (word: string) =>
      Array.from({ length: 9_000 }, (_, n) => `<p>Line ${n} of the ${word} text, repeated</p>`).join("\n");
    const id = await made({ name: "Long", html: long("first") });
    await dashboard.ask("POST", `/v1/templates/${id}/publish`);
    await dashboard.ask("PATCH", `/v1/templates/${id}`, { html: long("second") });
    await open(id, "?versions=true");
    await page.getByRole("dialog").getByText("9,000 added, 9,000 removed").waitFor();
    assert.ok((await page.locator(".diff-line").count()) <= 400);
    await inDialog("Show more");
    await until(async () => (await page.locator(".diff-line").count()) > 400);
    await inDialog("Close");
  });

  test("of what two people change at once the same variables are a choice, and the rest goes together", async () => {
    const id = await made({ name: "Shared" });
    await open(id, "?part=variables");
    await page.route(`**/v1/templates/${id}`, (route) =>
      route.request().method() === "GET" ? route.abort() : route.continue(),
    );
    const theirs = [{ ...RECEIPT.variables[0], sample: "theirs" }];
    await dashboard.ask("PATCH", `/v1/templates/${id}`, { subject: "Theirs {{ order }}", variables: theirs });
    await page.unroute(`**/v1/templates/${id}`);
    await field("Sample of order").fill("mine");
    await page.getByText(/changed this at .*: Variables\. Yours isn't saved/).waitFor();
    await press(page, "Show both");
    await page.getByRole("dialog").getByText("order: string, required, sample mine").waitFor();
    await page.getByRole("dialog").getByText("order: string, required, sample theirs").waitFor();
    await inDialog("Keep mine");
    await isSaved(
      id,
      ({ subject, variables }) => subject === "Theirs {{ order }}" && variables[0].sample === "mine",
    );
  });

  test("a program is told how to send it, a campaign begins with it, and then it can't be deleted", async () => {
    const id = await made({ name: "Used" });
    await dashboard.ask("POST", `/v1/templates/${id}/publish`);
    await open(id);
    await press(page, "Use it");
    const dialog = page.getByRole("dialog");
    const code = dialog.getByRole("region", { name: "Example" });
    assert.match(await code.innerText(), new RegExp(`curl .*"template_id": "${id}".*"order": "1042"`, "s"));
    await inDialog("TypeScript");
    assert.match(await code.innerText(), /await fetch\(/);
    await inDialog("New campaign from it");
    await page.waitForURL(/\/campaigns\/cmp_.*\/edit/);
    await page.getByRole("heading", { name: /Used/, level: 1 }).waitFor();
    await page.goto(`${dashboard.app.baseUrl}/templates?q=used`);
    const row = page.getByRole("row").filter({ hasText: "Used" });
    await row.getByText("1 campaign").waitFor();
    await press(page, "More for Used");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await inDialog("Delete the template");
    await page.getByText("“Used” was made from it and isn't sent yet").waitFor();
    await inDialog("Cancel");
    await press(page, "More for Used");
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await page.getByRole("heading", { name: /Used \(copy\)/, level: 1 }).waitFor();
  });

  test("hostile names and words are shown as they are, and everybody can use it, wide and on a telephone", async () => {
    // A name refuses what turns the text around; a mail's words don't.
    const name = `<img src=x onerror=alert(1)>${"W".repeat(120)}`;
    const hostile = `\u202E${name}`;
    const id = await made({
      name,
      subject: `${hostile} {{ order }}`,
      html: `<p>{{ order }}</p><script>parent.document.title = "taken"</script>${hostile}`,
    });
    await dashboard.ask("POST", `/v1/templates/${id}/publish`);
    await dashboard.ask("PATCH", `/v1/templates/${id}`, {
      text: hostile,
      variables: [{ name: "order", type: "string", sample: hostile, default: "</option>" }],
    });
    for (const width of [1400, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${dashboard.app.baseUrl}/templates`);
      await page.getByRole("link", { name: /onerror/ }).waitFor();
      await assertAccessible(page, `the list at ${width}`);
      await open(id, "?part=variables");
      await shownMail().getByText("onerror").first().waitFor();
      await assertAccessible(page, `the variables at ${width}`);
      await open(id, "?versions=true");
      await page.getByRole("dialog").getByRole("region", { name: "Variables" }).waitFor();
      await assertAccessible(page, `the versions at ${width}`);
      await inDialog("Close");
      await press(page, "Use it");
      await page.getByRole("dialog").getByRole("region", { name: "Example" }).waitFor();
      await assertAccessible(page, `how it is used at ${width}`);
      await inDialog("Close");
    }
    assert.doesNotMatch(await page.title(), /^taken/);
    // That the frame of the mail runs no script, the browser says in its console.
    const isBlocked = (fault: string) => /Blocked script execution in '.*\/author-frame'/.test(fault);
    assert.ok(watched.faults.some(isBlocked));
    await finish({ ...watched, faults: watched.faults.filter((fault) => !isBlocked(fault)) });
  });
});
