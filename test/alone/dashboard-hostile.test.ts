/** What names, addresses, proxies, upgrades and other tabs may do to the dashboard, in a browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

const NAMES = [
  `"><img src=x onerror=alert(1)><script>alert(1)</script>`,
  "{{7*7}} $t(nav.settings) javascript:alert(1)",
  "W".repeat(100),
  "مكتبة الكتب 🐎👩‍👩‍👧‍👦",
  "\u202Eturned\u2066 \u200Baround",
];

describe("a hostile world around the dashboard, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
    page.on("dialog", (dialog) => watched.faults.push(`opened a dialog: ${dialog.message()}`));
    listId = (await api("GET", "/v1/lists")).data[0].id;
  });
  after(() => dashboard?.stop());

  const api = async (method: string, path: string, body?: unknown) =>
    (await dashboard.app.api(method, path, body === undefined ? {} : { body })).body;
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const name = () => page.getByLabel("Name", { exact: true });

  test("a name is text wherever it stands, turns no words around, and fits a telephone", async () => {
    const people: string[] = [];
    for (const [n, text] of NAMES.entries()) {
      await api("POST", "/v1/lists", { name: text });
      await api("POST", "/v1/fields", { key: `field_${n}`, name: text, type: "text" });
      await api("POST", "/v1/api_keys", { name: text, scopes: ["subscribers:read"] });
      const { id } = await api("POST", "/v1/subscribers", {
        email: `person${n}@example.com`,
        list_id: listId,
        first_name: text,
        tags: [text.slice(0, 60)],
        fields: { [`field_${n}`]: text },
        consent: { attested: true, source: text, wording: text },
      });
      people.push(`/subscribers/${id}`);
    }
    await page.setViewportSize({ width: 360, height: 760 });
    for (const path of ["/subscribers", "/lists", "/fields", "/api-keys", "/events", ...people]) {
      await go(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide`);
      assert.doesNotMatch(await page.title(), /[\u202A-\u202E\u2066-\u2069]/);
    }
    await page.setViewportSize({ width: 1_440, height: 900 });
  });

  test("an address with a place, a day or a sort that there isn't leads back to the table", async () => {
    await go("/subscribers?cursor=garbage");
    await press(page, "To the first page");
    await page.getByRole("link", { name: "person0@example.com" }).waitFor();
    assert.equal(new URL(page.url()).search, "");
    await go(`/subscribers?after=2026-99-99&sort=evil&status=%00&cursor=&tag=${"x".repeat(3_000)}`);
    await page.getByRole("heading", { level: 1, name: "Subscribers" }).waitFor();
    await page.getByRole("button", { name: /^Remove the filter Tag/ }).click();
    await page.getByRole("link", { name: "person0@example.com" }).waitFor();
    await go("/sign-in?from=/%09/evil.example");
    await heading("Sign in");
    assert.equal(new URL(page.url()).host, new URL(dashboard.app.baseUrl).host);
  });

  test("what a proxy answers in the middle of a form says what to do, and keeps what was typed", async () => {
    await go("/lists");
    await press(page, "New list");
    await name().fill("Kept");
    for (const [status, says] of [
      [413, "This is more than the service takes at once."],
      [429, "Too many requests at once."],
      [502, "The service can't be reached. What you typed is still here."],
    ] as const) {
      const headers = { "retry-after": "0", "x-request-id": `req_${status}`, "content-type": "text/html" };
      await page.route("**/v1/lists", (route) => route.fulfill({ status, headers, body: "<h1>Proxy</h1>" }));
      await inDialog("New list");
      await page.getByRole("alert").getByText(says).waitFor();
      await page.getByText(`req_${status}`).waitFor();
      assert.equal(await name().inputValue(), "Kept");
      await page.unroute("**/v1/lists");
    }
    await inDialog("New list");
    await page.getByText("The list “Kept” was made", { exact: true }).first().waitFor();
  });

  test("what is changed elsewhere a second time, while one chooses, is shown again", async () => {
    const { id } = (await api("GET", "/v1/subscribers/search?email=person0@example.com")).data[0];
    await go(`/subscribers/${id}`);
    await press(page, "Edit");
    await page.getByLabel("First name").fill("Mine");
    await api("PATCH", `/v1/subscribers/${id}`, { first_name: "First" });
    await inDialog("Save");
    await page.getByRole("cell", { name: "First", exact: true }).waitFor();
    await api("PATCH", `/v1/subscribers/${id}`, { first_name: "Second" });
    await inDialog("Keep mine");
    await page.getByRole("cell", { name: "Second", exact: true }).waitFor();
    await inDialog("Keep mine");
    await heading("Mine");
    assert.equal((await api("GET", `/v1/subscribers/${id}`)).first_name, "Mine");
  });

  test("a link that nobody could look at is not called useless, and a start without a service is tried again", async () => {
    const stranger = await dashboard.open("/sign-in");
    await stranger.page.route("**/v1/**", (route) => route.abort());
    await stranger.page.goto(`${dashboard.app.baseUrl}/setup#prl_something`);
    await stranger.page.getByRole("heading", { name: "The link couldn't be checked" }).waitFor();
    await stranger.page.unroute("**/v1/**");
    await press(stranger.page, "Try again");
    await stranger.page.getByRole("heading", { name: "This link can't be used" }).waitFor();
    await finish(stranger);

    await page.route("**/v1/session", (route) => route.fulfill({ status: 503, body: "" }));
    await go("/lists");
    await heading("The dashboard couldn't be opened");
    await page.unroute("**/v1/session");
    await press(page, "Try again");
    await heading("Lists");
  });

  test("after an upgrade a page whose file is gone offers to reload, and a page that is open keeps what was typed", async () => {
    await go("/settings/profile");
    await page.getByLabel("Present password").fill("typed before");
    let asked = 0;
    await page.route("**/assets/events-*.js", (route) => {
      asked++;
      return route.fulfill({ status: 404, contentType: "application/problem+json", body: "{}" });
    });
    await page.getByRole("link", { name: "Events" }).hover();
    await until(() => asked > 0);
    assert.equal(await page.getByLabel("Present password").inputValue(), "typed before");
    await page.getByRole("link", { name: "Events" }).click();
    await heading("This page couldn't be loaded");
    await page.unroute("**/assets/events-*.js");
    await press(page, "Reload");
    await heading("Events");
    // What an error component catches is written to the console too.
    const faults = watched.faults.filter((fault) => !fault.startsWith("error: ApiError"));
    await finish({ ...watched, faults });
  });
});
