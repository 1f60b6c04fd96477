/** What happens elsewhere shows by itself, and what two people edit at once is shown to whoever saves last. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { addPerson } from "../support/people.ts";
import { until } from "../support/until.ts";

const STREAM = /\/v1\/events\/stream/;
const SILENCE_MS = 30_000;

describe("the dashboard, live", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let streams = 0;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
    page.on("request", (request) => {
      if (STREAM.test(request.url())) streams++;
    });
    await page.goto(`${dashboard.app.baseUrl}/lists`);
    await page.getByRole("heading", { name: "Lists", level: 1 }).waitFor();
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api = async (method: string, path: string, body?: unknown) => {
    const reply = await dashboard.app.api(method, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, reply.text);
    return reply.body;
  };
  const shown = (text: string, of = page) => of.getByText(text, { exact: true }).first().waitFor();

  test("a change in one tab shows in another without a reload, and each tab has one stream", async () => {
    await until(() => streams === 1);
    const other = await page.context().newPage();
    await other.goto(`${dashboard.app.baseUrl}/lists`);
    await press(other, "New list");
    await other.getByLabel("Name", { exact: true }).fill("Made in the other tab");
    await other.getByRole("dialog").getByRole("button", { name: "New list" }).click();
    await shown("Made in the other tab", other);
    await shown("Made in the other tab");
    await other.close();
    await api("POST", "/v1/lists", { name: "Made by a program" });
    await shown("Made by a program");
    assert.equal(streams, 1);
  });

  test("the log says how many are new, and shows them when asked to", async () => {
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByRole("heading", { name: "Events", level: 1 }).waitFor();
    const rows = page.locator(".events li");
    await until(async () => (await rows.count()) > 2);
    const before = await rows.count();
    const newest = await rows.first().textContent();
    for (const name of ["Another", "And another"]) await api("POST", "/v1/lists", { name });
    await page.getByRole("button", { name: "2 new events" }).waitFor();
    assert.equal(await rows.first().textContent(), newest, "nothing has moved");
    await press(page, "2 new events");
    await until(async () => (await rows.count()) === before + 2);
    await until(async () => (await page.getByRole("button", { name: /new events/ }).count()) === 0);
    assert.equal(streams, 1, "pages share the stream of their tab");
  });

  test("where the stream is refused the page is read now and then, says as of when, and is live again after", async () => {
    await page.route(STREAM, (route) =>
      route.fulfill({ status: 429, contentType: "application/problem+json", body: "{}" }),
    );
    await page.goto(`${dashboard.app.baseUrl}/lists`);
    await page.getByText(/^As of \d\d:\d\d:\d\d$/).waitFor({ timeout: SILENCE_MS });
    await api("POST", "/v1/lists", { name: "Found by asking" });
    await page.getByText("Found by asking", { exact: true }).waitFor({ timeout: SILENCE_MS });
    await page.unroute(STREAM);
    await until(async () => (await page.getByText(/^As of/).count()) === 0);
    await api("POST", "/v1/lists", { name: "Heard again" });
    await shown("Heard again");
  });

  test("what somebody else saved meanwhile is shown with their name, in each form, as a choice", async () => {
    const field = await api("POST", "/v1/fields", { key: "city", name: "City", type: "text" });
    const made = await api("POST", "/v1/api_keys", { name: "Shop", scopes: ["events:read"] });
    const inDialog = (name: string) => page.getByRole("dialog").getByRole("button", { name }).click();
    const editing = async (path: string, row: string, item: string) => {
      await page.goto(`${dashboard.app.baseUrl}${path}`);
      await press(page, `More for ${row}`);
      await page.getByRole("menuitem", { name: item }).click();
      await page.getByLabel("Name", { exact: true }).waitFor();
    };
    await editing("/fields", "City", "Edit");
    const ada = await addPerson(dashboard.app, "ada@example.com", "owner");
    await ada.browser.send("PATCH", `/v1/users/${ada.id}`, { name: "Ada" });
    await ada.browser.send("PATCH", `/v1/fields/${field.id}`, { name: "Town" });
    await page.getByLabel("Name", { exact: true }).fill("Place");
    await inDialog("Save");
    await page.getByText(/^Ada changed this at \d\d:\d\d/).waitFor();
    await page.getByRole("cell", { name: "Town" }).waitFor();
    await inDialog("Keep mine");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await shown("Place");
    assert.equal((await api("GET", `/v1/fields/${field.id}`)).name, "Place");

    await editing("/api-keys", "Shop", "Rename");
    await api("PATCH", `/v1/api_keys/${made.id}`, { name: "The shop" });
    await page.getByLabel("Name", { exact: true }).fill("My shop");
    await inDialog("Save");
    await page.getByText(/^The key “.+” changed this at/).waitFor();
    await inDialog("Take theirs");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await shown("The shop");
    assert.equal((await api("GET", `/v1/api_keys/${made.id}`)).name, "The shop");
  });

  test("nothing was logged in the console but the refusals themselves", async () => {
    await finish(watched);
  });
});
