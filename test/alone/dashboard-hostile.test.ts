/** What names, addresses, proxies, upgrades and other tabs may do to the dashboard, in a browser. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { importFile } from "../support/imports.ts";
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

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
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
      await api("POST", "/v1/topics", { name: [...text].slice(0, 100).join(""), description: "Monthly." });
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
    for (const path of ["/subscribers", "/lists", "/fields", "/topics", "/api-keys", "/events", ...people]) {
      await go(path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForLoadState("networkidle");
      const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assert.ok(Number(overflow) <= 0, `${path} is ${overflow} px too wide`);
      assert.doesNotMatch(await page.title(), /[\u202A-\u202E\u2066-\u2069]/);
    }
    await page.setViewportSize({ width: 1_440, height: 900 });
  });

  test("the side bar holds a long address and squashes nothing in a low window", async () => {
    await page.setViewportSize({ width: 1_440, height: 500 });
    await api("PATCH", "/v1/account", { name: "Margarethe Hollenstein & Daughters" });
    const session = await page.context().newPage();
    await session.route("**/v1/session", async (route) => {
      const answer = await route.fetch();
      const body = await answer.json();
      body.user.name = "margarethe.hollenstein@fernhill-booksellers.example";
      await route.fulfill({ response: answer, json: body });
    });
    await session.goto(`${dashboard.app.baseUrl}/lists`);
    await session.getByRole("button", { name: /margarethe/ }).waitFor();
    const wide = await session.evaluate(`(() => { const side = document.querySelector("aside.side");
      return side.scrollWidth - side.clientWidth; })()`);
    assert.ok(Number(wide) <= 0, `the side bar is ${wide} px too wide`);
    const search = await session.locator("aside.side > .search").boundingBox();
    assert.equal(search?.height, 32);
    await session.close();
    await page.setViewportSize({ width: 1_440, height: 900 });
  });

  test("a name that is read from the right starts where the others do", async () => {
    for (const path of ["/lists", "/fields", "/topics", "/api-keys"]) {
      await go(path);
      const startOf = (text: string) =>
        page.locator("td.c-main .cell-text", { hasText: text }).evaluate((cell): number => {
          const range = Reflect.get(globalThis, "document").createRange();
          range.selectNodeContents(cell);
          return Math.round(range.getBoundingClientRect().left);
        });
      assert.equal(await startOf("مكتبة"), await startOf("{{7*7}}"), path);
    }
  });

  test("a very long name leaves room for the rest, and whoever is gone is not tried again", async () => {
    const { id } = await api("POST", "/v1/subscribers", {
      email: "long@example.com",
      list_id: listId,
      first_name: "W".repeat(200),
      last_name: "M".repeat(200),
    });
    await go(`/subscribers/${id}`);
    const title = page.getByRole("heading", { level: 1 });
    await title.waitFor();
    assert.ok(((await title.boundingBox())?.height ?? 0) <= 3 * 36);
    assert.equal((await title.getAttribute("title"))?.length, 401);
    await api("DELETE", `/v1/subscribers/${id}`);
    await go(`/subscribers/${id}`);
    await heading("This subscriber isn't here");
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
    await page.getByRole("link", { name: "All subscribers" }).click();
    await heading("Subscribers");
  });

  test("a confirmation hides neither where consent was given nor to which words", async () => {
    const csv =
      "email,opted_in_at,confirmed_at\nproof@example.com,2024-03-04T10:00:00Z,2024-03-05T10:00:00Z\n";
    const options = {
      list_id: listId,
      consent: { attested: true, source: "Fair in Leeds", wording: "Send me the newsletter." },
    };
    assert.equal((await importFile(dashboard.app, options, csv)).status, "completed");
    const { data } = await api("GET", "/v1/subscribers/search?email=proof@example.com");
    await go(`/subscribers/${data[0].id}`);
    const side = page.getByRole("complementary").last();
    await side.getByText("Fair in Leeds").waitFor();
    await side.getByText("Send me the newsletter.").waitFor();
    await side.getByText("4 Mar 2024").waitFor();
    await side.getByText("5 Mar 2024").waitFor();
    await page.getByText(/on 4 Mar 2024, as was told us later/).waitFor();
  });

  test("the palette finds a list and a part of the settings by name, and searches before it finds nothing", async () => {
    await api("POST", "/v1/lists", { name: "Winter letter" });
    await go("/lists");
    await heading("Lists");
    const find = async (text: string) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search or jump to" }).fill(text);
    };
    await page.route("**/v1/segments?*", (route) => setTimeout(() => void route.continue(), 600));
    await find("nothing at all");
    await page.getByText("Searching…").waitFor();
    await page.getByText(/^Nothing fits/).waitFor();
    await page.unroute("**/v1/segments?*");
    await page.keyboard.press("Escape");
    await find("winter");
    await page.getByRole("option", { name: "Winter letter" }).click();
    await page.waitForURL(/\/subscribers\?list=lst_/);
    await find("guardrails");
    await page.getByRole("option", { name: /^Settings: / }).click();
    await page.waitForURL(/\/settings\/guardrails/);
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
