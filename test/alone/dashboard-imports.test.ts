import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

/** As Mailchimp exports an audience: its own columns around those of the account, and a byte-order mark in front. */
const HEADINGS = [
  ...[
    "Email Address",
    "First Name",
    "Last Name",
    "Address",
    "Phone Number",
    "Birthday",
    "Company",
    "Spend GBP",
  ],
  ...["Shoe size", "Interests", "Website", "Membership", "Referred by", "MEMBER_RATING", "OPTIN_TIME"],
  ...[
    "OPTIN_IP",
    "CONFIRM_TIME",
    "CONFIRM_IP",
    "LATITUDE",
    "LONGITUDE",
    "GMTOFF",
    "DSTOFF",
    "TIMEZONE",
    "CC",
  ],
  ...["REGION", "LAST_CHANGED", "LEID", "EUID", "NOTES", "TAGS"],
];
function mailchimpRow(email: string, cells: Record<string, string> = {}): string {
  const known: Record<string, string> = {
    "Email Address": email,
    OPTIN_TIME: "2024-03-05 10:11:12",
    OPTIN_IP: "192.0.2.7",
    CONFIRM_TIME: "2024-03-05 10:15:00",
    TAGS: '"""letter"",""poetry"""',
    ...cells,
  };
  return HEADINGS.map((heading) => known[heading] ?? "").join(",");
}
const PEOPLE = 40;
const MAILCHIMP = `\uFEFF${[
  HEADINGS.join(","),
  ...Array.from({ length: PEOPLE }, (_, n) =>
    mailchimpRow(`reader-${n}@example.com`, {
      "First Name": `Reader ${n}`,
      Company: "Fernhill",
      "Spend GBP": "41.50",
    }),
  ),
  mailchimpRow("r.holt@@gmx.example"),
  mailchimpRow("twelve@example.com", { "Spend GBP": "twelve" }),
].join("\r\n")}\r\n`;

describe("imports and exports in the dashboard", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
    listId = (await dashboard.app.api("GET", "/v1/lists")).body.data[0].id;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const total = async (path: string) => (await api("GET", `${path}include_total=true`)).total;
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const heading = (name: string | RegExp) => page.getByRole("heading", { name }).first().waitFor();
  const said = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const chooseFile = (name: string, text: string) =>
    page
      .getByLabel("File", { exact: true })
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(text) });
  /** The next request to the path is refused as the service would. */
  const refuseOnce = (path: string, status: number, code: string) =>
    page.route(
      `**${path}`,
      (route) =>
        route.fulfill({
          status,
          contentType: "application/problem+json",
          body: JSON.stringify({ status, code, detail: `refused with ${status}`, request_id: "req_0123" }),
        }),
      { times: 1 },
    );
  const downloaded = async (begin: () => Promise<unknown>) => {
    const [download] = await Promise.all([page.waitForEvent("download"), begin()]);
    return readFile(await download.path(), "utf8");
  };

  test("an export of Mailchimp with 30 columns is recognised, and a refusal in the middle loses nothing", async () => {
    await page.getByRole("link", { name: "Import", exact: true }).click();
    await heading("Import subscribers");
    await press(page, "Look at the columns");
    await said("Choose a file first");
    await chooseFile("subscribed_email_audience_export_1f2e.csv", MAILCHIMP);
    await said("subscribed_email_audience_export_1f2e.csv");
    await refuseOnce("/v1/imports/preview", 413, "body_too_large");
    await press(page, "Look at the columns");
    await page.getByRole("alert").waitFor();
    await press(page, "Look at the columns");
    await said("This looks like an export of Mailchimp.");
    assert.equal(await page.locator(".mapping tbody tr").count(), 30);
    const becomes = (column: string) => page.getByLabel(`${column} becomes`, { exact: true });
    assert.equal(
      await becomes("Email Address").inputValue(),
      "email",
      "the mark in front is no part of the heading",
    );
    assert.equal(await becomes("OPTIN_TIME").inputValue(), "opted_in_at");
    assert.equal(await becomes("LEID").inputValue(), "ignore");
    await becomes("Company").selectOption("new");
    await becomes("Spend GBP").selectOption("new");
    await becomes("Spend GBP").locator("xpath=ancestor::td").getByRole("button", { name: "Change" }).click();
    await page.getByLabel("Kind").selectOption("number");
    await inDialog("Save");
    await page.getByLabel("Tag all of them").fill("moved");

    await refuseOnce("/v1/imports", 503, "overloaded");
    await press(page, "Try it on all rows");
    await said(/req_0123/);
    await press(page, "Try again");
    await said(`${PEOPLE} people would join`);
    await heading("2 rows with a fault");
    await said("r.holt@@gmx.example");
    assert.equal(await total("/v1/subscribers?"), 0, "a dry run changes nobody");

    await page.goBack();
    assert.equal(
      await becomes("Company").inputValue(),
      "fields.company",
      "the field that was made is chosen",
    );
    assert.equal(await becomes("Spend GBP").inputValue(), "fields.spend_gbp");
    await page.getByRole("button", { name: "Take off the tag moved" }).waitFor();
    await page.goForward();
    await press(page, /^Go on with 40 rows/);
    await page.waitForURL(/step=consent/);
  });

  test("the consent is stated, the import runs, and what was left out is downloaded and undone", async () => {
    await page.getByLabel("Everybody in this file agreed").check();
    await page.getByLabel(/^Where they agreed/).fill("Shop in Leeds");
    const enters = page.getByLabel("Let these people enter the automations that run");
    assert.equal(await enters.isChecked(), false);
    await enters.check();
    await refuseOnce("/v1/imports", 413, "body_too_large");
    await press(page, "Import 40 rows");
    await page.getByRole("alert").waitFor();
    assert.equal(await page.getByLabel(/^Where they agreed/).inputValue(), "Shop in Leeds");
    await press(page, "Import 40 rows");
    await page.waitForURL(/\/imports\/imp_/);
    await said(`${PEOPLE} came in.`);
    await page.getByText("These people enter the automations that run").waitFor();
    const { data } = await api("GET", "/v1/subscribers/search?email=reader-7@example.com");
    assert.deepEqual(
      [data[0].list_id, data[0].first_name, data[0].fields, data[0].tags.toSorted()],
      [listId, "Reader 7", { company: "Fernhill", spend_gbp: 41.5 }, ["letter", "moved", "poetry"]],
    );
    assert.equal(await total("/v1/subscribers?"), PEOPLE);

    const rejects = await downloaded(() => page.getByRole("link", { name: "Download them" }).click());
    assert.match(rejects, /^row,column,code,detail,Email Address,/);
    assert.match(rejects, /\n42,.*r\.holt@@gmx\.example/);
    assert.match(rejects, /\n43,Spend GBP,.*twelve/);

    await press(page, "Undo");
    await heading("Take away the 40 that this import made?");
    await inDialog("Undo the import");
    await said("It was undone: 40 were taken away again.");
    assert.equal(await total("/v1/subscribers?"), 0);
    await page.getByRole("link", { name: "Imports" }).first().click();
    await heading("Imports");
    await page.getByRole("row", { name: /Undone/ }).waitFor();
    await page.getByRole("row", { name: /Dry run.*Done/ }).waitFor();
  });

  test("pasted addresses go into a list that is made on the way; it asks for consent, and leaving asks too", async () => {
    await go("/imports/new");
    await press(page, "Paste");
    await page.getByLabel("Rows").fill("ada@example.com\nbob@example.com\nada@example.com\n");
    await press(page, "New list");
    await page.getByLabel("Name", { exact: true }).fill("Fair");
    await page.getByLabel("Confirmed by e-mail").check();
    await inDialog("New list");
    await said("This list asks for confirmation by e-mail.");
    await page.getByRole("link", { name: "Lists" }).first().click();
    await heading("Leave without importing?");
    await inDialog("Cancel");
    await press(page, "Look at the columns");
    await said("by its contents");
    await press(page, "Try it on all rows");
    await said("2 people would join");
    await press(page, "Go on with 3 rows");
    await press(page, "Import 3 rows");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Everybody in this file agreed").check();
    await press(page, "Import 3 rows");
    await said("2 came in.");
    const list = (await api("GET", "/v1/lists")).data.find(({ name }: { name: string }) => name === "Fair");
    const { data } = await api("GET", `/v1/subscribers?list_id=${list.id}`);
    assert.deepEqual(
      data.map(({ email, status }: { email: string; status: string }) => [email, status]).toSorted(),
      [
        ["ada@example.com", "active"],
        ["bob@example.com", "active"],
      ],
    );
  });

  test("those who left elsewhere come in as having left", async () => {
    await go(`/imports/new?list=${listId}`);
    await chooseFile(
      "people.csv",
      "email;state;seen\nleft@example.com;unsubscribed;\ndead@example.com;cleaned;\nhere@example.com;subscribed;\nodd@example.com;elsewhere;\n",
    );
    await press(page, "Look at the columns");
    await said("Separated by semicolons");
    await page.getByLabel("state becomes", { exact: true }).selectOption("status");
    await page.getByLabel("Status elsewhere").selectOption("skip");
    await press(page, "Try it on all rows");
    await said("One is unsubscribed by this file.");
    await press(page, "Go on with 4 rows");
    await press(page, "Import 4 rows");
    await page.waitForURL(/\/imports\/imp_/);
    await said(/came in\./);
    const { data } = await api("GET", "/v1/subscribers/search?email=left@example.com");
    assert.equal(data[0].status, "unsubscribed");
    const suppressed = await api("GET", "/v1/suppressions?reason=hard_bounce");
    assert.deepEqual(
      suppressed.data.map(({ email }: { email: string }) => email),
      ["dead@example.com"],
    );
    assert.deepEqual((await api("GET", "/v1/subscribers/search?email=odd@example.com")).data, []);
  });

  test("suppressions come and go as CSV", async () => {
    await go("/suppressions");
    await page.getByRole("link", { name: "Import CSV" }).click();
    await heading("Import suppressions");
    await chooseFile("blocked.csv", "email,reason\nspam@example.com,complaint\nno@example.com,manual\n");
    await press(page, "Look at the columns");
    await press(page, "Try it on all rows");
    await said("2 addresses would be suppressed");
    await press(page, "Import 2 rows");
    await page.waitForURL(/\/imports\/imp_/);
    await said("2 came in.");
    await page.getByRole("link", { name: "See the suppressions" }).click();
    await said("spam@example.com");
    const csv = await downloaded(() => press(page, "Export CSV"));
    assert.match(csv, /^email,contact_id,reason,source,created_at\r?\n/);
    assert.match(csv, /^spam@example\.com,[^,]*,complaint,/m);
  });

  test("what is filtered is exported, downloaded and read back, and deleted", async () => {
    await api("POST", "/v1/subscribers", { email: "tagged@example.com", list_id: listId, tags: ["letter"] });
    await go(`/subscribers?list=${listId}`);
    await press(page, "Export");
    const csv = await downloaded(() => inDialog("Export"));
    const emails = csv
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(",")[0])
      .filter(Boolean);
    assert.deepEqual(emails.toSorted(), [
      "dead@example.com",
      "here@example.com",
      "left@example.com",
      "tagged@example.com",
    ]);

    await go(`/subscribers?list=${listId}&tag=letter`);
    await said("tagged@example.com");
    await press(page, "Export");
    await page.getByLabel("Name of the segment").fill("Letter readers");
    const part = await downloaded(() => inDialog("Export"));
    assert.equal(part.trim().split(/\r?\n/).length, 2, part);
    assert.match(part, /\ntagged@example\.com,/);

    await go("/exports");
    await said("Segment “Letter readers”");
    const before = await total("/v1/exports?");
    const again = await downloaded(() =>
      page.getByRole("link", { name: "Download Segment “Letter readers”" }).click(),
    );
    assert.equal(again, part);
    await press(page, "Delete Segment “Letter readers”");
    await inDialog("Delete the export");
    await until(async () => (await total("/v1/exports?")) === before - 1);
    await page.getByText("Segment “Letter readers”").waitFor({ state: "detached" });
    await finish(watched);
  });
});
