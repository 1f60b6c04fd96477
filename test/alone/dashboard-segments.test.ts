import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { until } from "../support/until.ts";

const HOSTILE = "<script>alert(1)</script> {{name}} $t(do.save) محمد 🐎";

describe("segments in the dashboard", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  let segmentPath: string;
  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  before(async () => {
    dashboard = await startDashboard();
    listId = (await api("GET", "/v1/lists")).data[0].id;
    await api("POST", "/v1/fields", { key: "city", name: HOSTILE, type: "text" });
    await api("POST", "/v1/fields", { key: "orders", name: "Orders", type: "number" });
    const subscribers = Array.from({ length: 40 }, (_, n) => ({
      email: `reader-${n}@example.com`,
      list_id: listId,
      tags: n % 2 === 0 ? ["letter"] : ["trade"],
      fields: { city: n % 4 === 0 ? "Leeds" : "York", orders: n % 5 },
    }));
    await api("POST", "/v1/subscribers/batch", { subscribers });
    watched = await dashboard.openAsOwner();
    page = watched.page;
  });
  after(async () => {
    await dashboard?.stop();
  });

  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const toast = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();
  const side = () => page.getByRole("complementary", { name: "Who matches" });
  /** The last row; a new one has the focus by then. */
  const row = (at = -1) => page.locator(".rule").nth(at);
  const subject = (of: Locator) => of.getByLabel("What", { exact: true });
  const how = (of: Locator) => of.getByLabel("How", { exact: true });
  const value = (of: Locator) => of.getByLabel("Value", { exact: true });
  const counted = (count: number) =>
    until(async () => (await side().locator(".segment-count").allInnerTexts())[0] === String(count));
  const steps = async () =>
    (await side().locator(".segment-steps .num").allInnerTexts()).map((text) => Number(text));
  const preview = (rules: unknown) =>
    api("POST", "/v1/segments/preview", { list_id: listId, rules, include_steps: true });

  test("an empty page teaches with starting points, which are counted and not stored", async () => {
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await heading("No segment yet");
    await page.getByRole("link", { name: "New this month" }).click();
    await counted(40);
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "New this month");
    assert.equal((await api("GET", "/v1/segments?include_total=true")).total, 0);
    await page.goBack();
    await heading("Leave without saving?");
    await inDialog("Leave");
    await heading("No segment yet");
  });

  test("a segment is built from nothing, with a group, and counted as the API counts it", async () => {
    await press(page, "New segment");
    await heading("New segment");
    await page.getByLabel("Name", { exact: true }).fill(HOSTILE);
    await page.getByLabel("List", { exact: true }).selectOption(listId);
    await press(page, "Add a rule");
    await value(row()).fill("letter");
    await counted(20);
    await press(page, "Add a rule");
    await subject(row()).selectOption("fields.orders");
    await how(row()).selectOption("at_least");
    await page.getByText("1 rule isn't finished and isn't counted yet.").waitFor();
    await value(row()).fill("2");
    await counted(12);
    await press(page, "Add a group");
    await subject(row()).selectOption("fields.city");
    await how(row()).selectOption("one_of");
    await row().getByLabel("Add a value").fill("Leeds");
    await page.keyboard.press("Enter");
    await page
      .getByRole("group", { name: "Group", exact: true })
      .getByRole("button", { name: "Add a rule" })
      .click();
    await subject(row()).selectOption("email");
    await how(row()).selectOption("starts_with");
    await value(row()).fill("reader-2");
    const rules = {
      all: [
        { field: "tag", op: "has", value: "letter" },
        { field: "fields.orders", op: "at_least", value: 2 },
        {
          any: [
            { field: "fields.city", op: "one_of", value: ["Leeds"] },
            { field: "email", op: "starts_with", value: "reader-2" },
          ],
        },
      ],
    };
    const expected = await preview(rules);
    await counted(expected.count);
    assert.deepEqual(await steps(), [
      expected.steps.from,
      ...expected.steps.rules.map((one: { count: number }) => one.count),
    ]);
    assert.match(
      (await page.locator(".segment-sentence").innerText()).replaceAll(/\s+/g, " "),
      /who has the tag “letter” and whose “Orders” is at least 2 and \(whose “<script>.*” is one of “Leeds” or whose address/,
    );
    const sample = expected.sample
      .map((one: { email: string }) => one.email)
      .toSorted()
      .join();
    const shown = () => side().locator(".segment-people a").allInnerTexts();
    await until(async () => (await shown()).toSorted().join() === sample);

    await press(page, "Save");
    await heading(HOSTILE);
    const { data } = await api("GET", "/v1/segments");
    assert.deepEqual([data[0].name, data[0].list_id, data[0].rules], [HOSTILE, listId, rules]);
    segmentPath = `/segments/${data[0].id}`;
    await page.reload();
    await counted(expected.count);
    await page.getByText("Saved", { exact: true }).first().waitFor();
    assert.deepEqual((await api("GET", `/v1${segmentPath}`)).rules, rules, "opening it changes nothing");
    await assertAccessible(page, "a segment");
  });

  test("rules are moved and removed by keys, and the focus goes on from there", async () => {
    const rules = () => page.locator(".rule").evaluateAll((all) => all.map((one) => one.ariaLabel));
    const before = await rules();
    await subject(row(0)).focus();
    await page.keyboard.press("Alt+Shift+ArrowDown");
    await until(async () => (await rules())[1] === before[0]);
    await row(1).locator("[data-subject]:focus").waitFor();
    await page.keyboard.press("Alt+Shift+Delete");
    await until(async () => (await rules()).length === before.length - 1);
    await page.locator("[data-subject]:focus").waitFor();
    await page.getByText("Not saved yet").waitFor();
  });

  test("a fault stands at its rule, and what was typed stays", async () => {
    await go(segmentPath);
    await value(row(1)).fill("many");
    await row(1).getByText("Must be a number.").waitFor();
    await press(page, "Save");
    await row(1).locator("input:focus").waitFor();
    assert.equal(await value(row(1)).inputValue(), "many");
    await value(row(1)).fill("");
    await press(page, "Save");
    await row(1).getByText("Must be a number.").waitFor();
    await value(row(1)).fill("3");
    await row(1).getByText("Must be a number.").waitFor({ state: "detached" });
    await page.route("**/v1/segments/*", (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({
            status: 503,
            contentType: "application/problem+json",
            body: '{"status":503,"code":"busy","detail":"busy"}',
          })
        : route.continue(),
    );
    await press(page, "Save");
    await page.getByText("Busy.").waitFor();
    assert.equal(await value(row(1)).inputValue(), "3");
    await page.unroute("**/v1/segments/*");
    await press(page, "Save");
    await toast("Saved");
    await until(async () => (await api("GET", `/v1${segmentPath}`)).rules.all[1].value === 3);
  });

  test("two who change one segment are shown both, and choose", async () => {
    await api("PATCH", `/v1${segmentPath}`, { name: "Theirs" });
    await page.getByLabel("Name", { exact: true }).fill("Mine");
    await press(page, "Save");
    await heading("This was changed meanwhile");
    await page.getByRole("dialog").getByText("Theirs", { exact: true }).first().waitFor();
    assert.equal((await api("GET", `/v1${segmentPath}`)).name, "Theirs", "nothing is overwritten unasked");
    await inDialog("Keep mine");
    await heading("Mine");
    assert.equal((await api("GET", `/v1${segmentPath}`)).name, "Mine");
    await api("PATCH", `/v1${segmentPath}`, { name: "Theirs again" });
    await page.getByLabel("Name", { exact: true }).fill("Mine again");
    await press(page, "Save");
    await inDialog("Take theirs");
    await heading("Theirs again");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Theirs again");
  });

  test("a segment is a filter of subscribers, and a filter becomes a segment", async () => {
    await page.getByRole("link", { name: "See these subscribers" }).click();
    const { total } = await api(
      "GET",
      `/v1/subscribers?segment_id=${segmentPath.split("/").at(-1)}&include_total=true`,
    );
    await page.getByText(`${total} subscribers`).waitFor();
    await page.getByText("Theirs again").waitFor();
    await go("/subscribers?tag=trade&status=active&after=2020-01-01");
    await page.getByRole("link", { name: "Save as segment" }).click();
    await counted(20);
    await page.getByLabel("Name", { exact: true }).fill("Trade");
    await press(page, "Save");
    await heading("Trade");
    const { data } = await api("GET", "/v1/segments?q=trade");
    assert.deepEqual(data[0].rules, {
      all: [
        { field: "status", op: "is", value: "active" },
        { field: "tag", op: "has", value: "trade" },
        { field: "created_at", op: "after", value: "2019-12-31" },
      ],
    });
  });

  test("the palette finds a segment by its name; it is duplicated, and deleting says what uses it", async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("trad");
    await page.getByRole("option", { name: "Trade" }).click();
    await heading("Trade");
    await press(page, "More");
    await page.getByRole("menuitem", { name: "Duplicate" }).click();
    await until(async () => (await page.getByLabel("Name", { exact: true }).inputValue()) === "Trade (copy)");
    await press(page, "Save");
    await heading("Trade (copy)");
    const { data } = await api("GET", "/v1/segments?q=copy");
    await api("POST", "/v1/campaigns", {
      name: "May",
      list_id: listId,
      segment_id: data[0].id,
      subject: "x",
      html: "<p>x</p>",
    });
    await page.getByRole("navigation", { name: "Where this page is" }).getByRole("link").click();
    await page.locator("tbody tr", { hasText: "Trade (copy)" }).getByText("20", { exact: true }).waitFor();
    await press(page, "More for Trade (copy)");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByText("May", { exact: true }).waitFor();
    await inDialog("Delete the segment");
    await toast("The segment “Trade (copy)” was deleted");
    assert.equal((await api("GET", "/v1/segments?q=copy&include_total=true")).total, 0);
    await finish(watched);
  });
});
