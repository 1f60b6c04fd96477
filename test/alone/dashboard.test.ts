import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, OWNER, press, startDashboard } from "../support/dashboard.ts";
import { PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";

describe("the dashboard, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
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
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const heading = (name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
  const toast = (text: string) => page.getByText(text, { exact: true }).first().waitFor();
  /** Rows of the page before stay until the new ones are there. */
  const rows = (wanted: number) => until(async () => (await page.locator("tbody tr").count()) === wanted);
  const fault = () => page.locator('[aria-invalid="true"]').first().waitFor();
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

  test("an empty table teaches its first step, and the first subscriber is added", async () => {
    await heading("Nobody is here yet");
    await press(page, "Add the first");
    await page.getByLabel("Address", { exact: true }).fill("not an address");
    await inDialog("Add a subscriber");
    await fault();
    assert.equal(
      await page.getByLabel("Address", { exact: true }).inputValue(),
      "not an address",
      "nothing typed is lost",
    );
    await page.getByLabel("Address", { exact: true }).fill("ada@example.com");
    await page.getByLabel("First name").fill("<script>alert(1)</script>");
    await inDialog("Add a subscriber");
    await heading("<script>alert(1)</script>");
    const { data } = await api("GET", "/v1/subscribers/search?email=ada@example.com");
    assert.deepEqual(
      [data.length, data[0].list_id, data[0].first_name],
      [1, listId, "<script>alert(1)</script>"],
    );
    assert.match(page.url(), new RegExp(data[0].id));
  });

  test("the address of the table holds filter, sort and place, and back works", async () => {
    const subscribers = Array.from({ length: 60 }, (_, n) => ({
      email: `reader-${String(n).padStart(2, "0")}@example.com`,
      list_id: listId,
      tags: n < 55 ? ["letter"] : ["other"],
    }));
    await api("POST", "/v1/subscribers/batch", { subscribers });
    await go("/subscribers");
    await page.getByText("61 subscribers").waitFor();
    await press(page, "Filter");
    await page.getByLabel("Filter by").selectOption("tag");
    await page.getByLabel("Is", { exact: true }).fill("letter");
    await press(page, "Apply");
    await page.getByText("55 subscribers").waitFor();
    await press(page, /^Address/);
    await page.getByRole("link", { name: "reader-00@example.com" }).waitFor();
    await rows(50);
    await press(page, "Older");
    await page.getByRole("link", { name: "reader-54@example.com" }).waitFor();
    await rows(5);
    const second = page.url();
    assert.match(second, /cursor=/);
    assert.match(second, /sort=email/);

    await page.getByRole("link", { name: "reader-54@example.com" }).click();
    await heading("reader-54@example.com");
    await page.goBack();
    await page.getByRole("link", { name: "reader-53@example.com" }).waitFor();
    assert.equal(page.url(), second);
    await page.reload();
    await page.getByRole("link", { name: "reader-53@example.com" }).waitFor();
    await press(page, "Newer");
    await page.getByRole("link", { name: "reader-00@example.com" }).waitFor();
    await press(page, "Remove the filter Tag");
    await page.getByText("61 subscribers").waitFor();
  });

  test("an address is searched for, a miss says so, and columns are chosen", async () => {
    await page.keyboard.press("/");
    await page.keyboard.type("ADA@example.com");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "ada@example.com" }).waitFor();
    await rows(1);
    await page.getByLabel("Search by address").fill("nobody@example.com");
    await page.keyboard.press("Enter");
    await heading("Nobody matches");
    await press(page, "Clear the filter");
    await page.getByText("61 subscribers").waitFor();
    await press(page, "Columns");
    await page.getByLabel("Changed").check();
    await page.getByLabel("Tags").uncheck();
    await page.keyboard.press("Escape");
    await page.reload();
    await page.getByRole("columnheader", { name: "Changed" }).waitFor();
    assert.equal(await page.getByRole("columnheader", { name: "Tags" }).count(), 0);
  });

  test("two who edit one subscriber are shown both versions, and choose", async () => {
    const { data } = await api("GET", "/v1/subscribers/search?email=reader-01@example.com");
    const path = `/v1/subscribers/${data[0].id}`;
    await go(`/subscribers/${data[0].id}`);
    await heading("reader-01@example.com");
    await page.keyboard.press("e");
    await page.getByLabel("First name").fill("Mine");
    await api("PATCH", path, { first_name: "Theirs" });
    await inDialog("Save");
    await heading("This was changed meanwhile");
    await page.getByRole("cell", { name: "Mine" }).waitFor();
    await page.getByRole("cell", { name: "Theirs" }).waitFor();
    assert.equal((await api("GET", path)).first_name, "Theirs", "nothing is overwritten unasked");
    await inDialog("Keep mine");
    await heading("Mine");
    assert.equal((await api("GET", path)).first_name, "Mine");
  });

  test("a tag is taken off at once and put back by Undo; unsubscribing and forgetting ask first", async () => {
    const { data } = await api("GET", "/v1/subscribers/search?email=reader-02@example.com");
    const path = `/v1/subscribers/${data[0].id}`;
    await go(`/subscribers/${data[0].id}`);
    await press(page, "Take off the tag letter");
    await toast("The tag “letter” was taken off");
    assert.deepEqual((await api("GET", path)).tags, []);
    await press(page, "Undo");
    await page.getByRole("button", { name: "Take off the tag letter" }).waitFor();
    assert.deepEqual((await api("GET", path)).tags, ["letter"]);

    await press(page, "Unsubscribe");
    await page.getByLabel("Reason").fill("asked by telephone");
    await inDialog("Unsubscribe");
    await toast("reader-02@example.com is unsubscribed");
    const left = await api("GET", path);
    assert.deepEqual([left.status, left.sendable], ["unsubscribed", false]);
    await page.getByText("Unsubscribed", { exact: true }).first().waitFor();

    await press(page, "Forget this person…");
    await heading("Forget reader-02@example.com?");
    await until(async () => (await page.evaluate("document.activeElement.textContent")) === "Cancel");
    await inDialog("Forget this person");
    await heading("Subscribers");
    assert.equal((await api("GET", path)).code, "not_found");
  });

  test("a session that ends in mid-edit is renewed over the page, and nothing typed is lost", async () => {
    const { data } = await api("GET", "/v1/subscribers/search?email=reader-03@example.com");
    await go(`/subscribers/${data[0].id}`);
    await heading("reader-03@example.com");
    await press(page, "Edit");
    await page.getByLabel("First name").fill("Typed before");
    await page.context().clearCookies();
    await inDialog("Save");
    await heading("Sign in again");
    await page.getByLabel("E-mail address").fill(OWNER);
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(page, "Sign in");
    await page.getByRole("heading", { name: "Sign in again" }).waitFor({ state: "detached" });
    assert.equal(await page.getByLabel("First name").inputValue(), "Typed before");
    await inDialog("Save");
    await heading("Typed before");
    assert.equal((await api("GET", `/v1/subscribers/${data[0].id}`)).first_name, "Typed before");
  });

  test("the palette goes to pages and finds a person, by the keyboard alone", async () => {
    const openPalette = async () => {
      await page.keyboard.press("Control+k");
      await page.locator('[role="combobox"]:focus').waitFor();
    };
    await openPalette();
    await page.keyboard.type("lists");
    await page.getByRole("option", { name: /Go to Lists/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading("Lists");
    await openPalette();
    await page.keyboard.type("ada@example.com");
    await page.getByRole("option", { name: /^ada@example.com/ }).waitFor();
    await page.keyboard.press("Enter");
    await heading("<script>alert(1)</script>");
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await heading("API keys");
    await page.keyboard.press("?");
    await heading("Keyboard shortcuts");
    await page.keyboard.press("Escape");
  });

  test("a list is made, changed and deleted with its people", async () => {
    await go("/lists");
    await press(page, "New list");
    await page.getByLabel("Name", { exact: true }).fill("Poetry");
    await page.getByLabel("Confirmed by e-mail").check();
    await inDialog("New list");
    await toast("The list “Poetry” was made");
    const made = (await api("GET", "/v1/lists")).data.find(({ name }: { name: string }) => name === "Poetry");
    assert.equal(made.double_opt_in, true);
    await press(page, "More for Poetry");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("From, address").fill("nobody");
    await inDialog("Save");
    await fault();
    await page.getByLabel("From, address").fill("poetry@example.com");
    await inDialog("Save");
    await toast("The list “Poetry” was saved");
    assert.equal((await api("GET", `/v1/lists/${made.id}`)).from_email, "poetry@example.com");
    await press(page, "More for Poetry");
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Prose");
    await api("PATCH", `/v1/lists/${made.id}`, { name: "Verse", reply_to: "elsewhere@example.com" });
    // The page behind has read it anew, and the form holds what it held.
    await page.locator("td", { hasText: "Verse" }).waitFor();
    await inDialog("Save");
    await page.getByRole("cell", { name: "elsewhere@example.com" }).waitFor();
    await inDialog("Take theirs");
    const kept = await api("GET", `/v1/lists/${made.id}`);
    assert.deepEqual([kept.name, kept.reply_to], ["Verse", "elsewhere@example.com"]);
    await press(page, "More for Verse");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await inDialog("Delete the list");
    await toast("The list “Verse” was deleted");
    assert.equal((await api("GET", `/v1/lists/${made.id}`)).code, "not_found");
  });

  test("a field is made and filled in; a suppression is added and taken off", async () => {
    await go("/fields");
    await heading("No fields yet");
    await press(page, "New field");
    await page.getByLabel("Name", { exact: true }).fill("Orders");
    await page.getByLabel("Key", { exact: true }).fill("orders");
    await page.getByLabel("Kind").selectOption("number");
    await inDialog("New field");
    await toast("The field “Orders” was saved");
    const { data } = await api("GET", "/v1/subscribers/search?email=reader-04@example.com");
    await go(`/subscribers/${data[0].id}`);
    await press(page, "Edit");
    await page.getByLabel("Orders").fill("many");
    await inDialog("Save");
    await page.getByText(/^Must be a number/).waitFor();
    await page.getByLabel("Orders").fill("7");
    await inDialog("Save");
    await toast("Saved");
    assert.deepEqual((await api("GET", `/v1/subscribers/${data[0].id}`)).fields, { orders: 7 });

    await go("/suppressions?reason=manual");
    await heading("Nobody is suppressed");
    await press(page, "Suppress an address");
    await page.getByLabel("Address", { exact: true }).fill("reader-05@example.com");
    await inDialog("Suppress an address");
    await toast("reader-05@example.com is suppressed");
    assert.equal((await api("GET", "/v1/suppressions?reason=manual&include_total=true")).total, 1);
    await press(page, "Take reader-05@example.com off");
    await inDialog("Take it off");
    await heading("Nobody is suppressed");
    assert.equal((await api("GET", "/v1/suppressions?reason=manual&include_total=true")).total, 0);
  });

  test("a key is shown once, works, and is revoked", async () => {
    await go("/api-keys");
    await press(page, "New key");
    await page.getByLabel("Name", { exact: true }).fill("Website");
    await page.getByLabel("subscribers:read").check();
    await inDialog("Make the key");
    await heading("“Website” is ready");
    const key = /pr_[0-9A-Za-z]{54}/.exec(await page.getByRole("dialog").innerText())?.[0] ?? "";
    assert.equal((await dashboard.app.api("GET", "/v1/lists", { key })).status, 200);
    assert.equal((await dashboard.app.api("GET", "/v1/account", { key })).status, 403);
    await page.keyboard.press("Escape");
    await heading("“Website” is ready");
    await page.getByLabel("I have put it in a safe place").check();
    await inDialog("Done");
    await heading("API keys");
    await until(async () => !(await page.content()).includes(key));
    await press(page, "More for Website");
    await page.getByRole("menuitem", { name: "Revoke" }).click();
    await inDialog("Revoke");
    await toast("“Website” was revoked");
    assert.equal((await dashboard.app.api("GET", "/v1/lists", { key })).status, 401);
  });

  test("account and sender are changed in the settings; events tell of it", async () => {
    await go("/settings/account");
    await page.getByLabel("Name", { exact: true }).fill("مكتبة 📚");
    await press(page, "Save");
    await toast("Saved");
    await page.getByRole("link", { name: "Sender" }).click();
    await page.getByLabel("From, address").fill("letters@example.com");
    // The toast of the first save may still stand, so the answer itself is awaited.
    const answered = page.waitForResponse((one) => one.request().method() === "PATCH");
    await press(page, "Save");
    assert.equal((await answered).status(), 200);
    await toast("Saved");
    const account = await api("GET", "/v1/account");
    assert.deepEqual([account.name, account.from_email], ["مكتبة 📚", "letters@example.com"]);
    await go("/events?about=account");
    const first = page.getByRole("listitem").first();
    await first.getByText("account.updated").first().click();
    await first.getByText(/"object": "event"/).waitFor();
  });

  test("while the service is away a line says so, and it goes by itself", async () => {
    await go("/lists");
    await heading("Lists");
    await page.route("**/v1/**", (route) => route.abort());
    await page.route("**/readyz", (route) => route.abort());
    await page.getByRole("link", { name: "Events" }).click();
    await page.getByText("The service can't be reached.", { exact: true }).waitFor();
    await page.unroute("**/readyz");
    await page.unroute("**/v1/**");
    await page.getByText("The service can't be reached.", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("account.updated").first().waitFor();
  });

  test("a failure in the middle of a form keeps what was typed, and shows the request id", async () => {
    await go("/lists");
    await press(page, "New list");
    await page.getByLabel("Name", { exact: true }).fill("Kept");
    await page.route("**/v1/lists", (route) =>
      route.fulfill({
        status: 500,
        contentType: "application/problem+json",
        body: JSON.stringify({
          status: 500,
          code: "internal",
          detail: "something went wrong",
          request_id: "req_0123",
        }),
      }),
    );
    await inDialog("New list");
    await page.getByText(/req_0123/).waitFor();
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Kept");
    await page.unroute("**/v1/lists");
    await inDialog("New list");
    await toast("The list “Kept” was made");
    assert.deepEqual(
      watched.faults.filter((fault) => !/Failed to load resource/.test(fault)),
      [],
    );
    await finish(watched);
  });
});
