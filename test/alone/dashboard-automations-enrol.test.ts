/** People are put into an automation by hand in the dashboard, and its steps tell others: what the service runs is offered. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { automationsOf, WELCOME } from "../support/dashboard-automations.ts";
import { uuidOf } from "../support/subscribers.ts";

describe("putting people into an automation", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let automations: ReturnType<typeof automationsOf>;
  let id: string;
  before(async () => {
    dashboard = await startDashboard();
    let listId = (await dashboard.ask("GET", "/v1/lists")).data[0]?.id;
    listId ??= (await dashboard.ask("POST", "/v1/lists", { name: "Letter readers" })).id;
    watched = await dashboard.openAsOwner("/automations");
    page = watched.page;
    automations = automationsOf(dashboard, watched, listId);
    await dashboard.ask("PATCH", "/v1/account", { from_email: "news@example.com" });
    for (const name of ["kofi", "hanna"])
      await dashboard.ask("POST", "/v1/subscribers", { email: `${name}@example.com`, list_id: listId });
    id = await automations.made(WELCOME, "By hand");
  });
  after(async () => {
    await dashboard?.stop();
  });

  test("an automation that nobody enters by hand doesn't offer it; the trigger is chosen in the draft", async () => {
    await automations.go(`/automations/${id}?view=outline&open=entry`);
    await page.getByLabel("When").selectOption("manual");
    await automations.isSaved(
      id,
      ({ draft, faults }) => draft.entry.on[0].type === "manual" && faults.length === 0,
    );
    await automations.go(`/automations/${id}/people`);
    assert.equal(await page.getByRole("button", { name: "Put people in" }).count(), 0);
    await dashboard.ask("POST", `/v1/automations/${id}/start`);
  });

  test("some people, and then everybody; each enters once, and it is told who didn't and why", async () => {
    await automations.go(`/automations/${id}/people`);
    await press(page, "Put people in");
    const drawer = page.getByRole("dialog", { name: "Put people in" });
    await drawer.getByRole("button", { name: "Put them in" }).click();
    await drawer.getByText("Choose at least one person.").waitFor();
    await drawer.getByRole("button", { name: "Add somebody: nobody chosen" }).click();
    await page.getByRole("option", { name: /kofi/ }).click();
    await automations.looks("enrol", ["light", "dark"]);
    await drawer.getByRole("button", { name: "Put them in" }).click();
    await drawer.getByText("1 entered").waitFor();
    await drawer.getByLabel("Whom").selectOption({ label: "everybody on the list" });
    await drawer.getByLabel("Spread over minutes").fill("60");
    await drawer.getByRole("button", { name: "Put them in" }).click();
    await drawer.getByText("1 entered · 1 in it already").waitFor();
    await automations.looks("enrol-done", ["light"]);
    await page.keyboard.press("Escape");
    await page.getByRole("row").filter({ hasText: "hanna@example.com" }).waitFor();
    const { active } = await dashboard.ask("GET", `/v1/automations/${id}/stats`);
    assert.equal(active, 2);
  });

  test("how far overdue steps are is shown, and followed", async () => {
    const accountId = uuidOf("acc", dashboard.app.accountId);
    const automation = uuidOf("aut", id);
    const { db } = dashboard.app;
    await db.execute(sql`
      insert into automation_overdue (account_id, automation_id, choice, until, spread_minutes, people, done)
      values (${accountId}, ${automation}, 'skip', now() - interval '1 hour', 0, 5000, 2000)`);
    await automations.go(`/automations/${id}?view=outline`);
    await page
      .getByText("5,000 people whose steps fell due in the pause are led past their mails.")
      .waitFor();
    await page.getByText("2,000 of 5,000 done").waitFor();
    await automations.looks("overdue");
    await automations.go(`/automations/${id}?view=canvas`);
    await page.getByText("2,000 of 5,000 done").waitFor();
    await automations.looks("overdue-canvas");
    await db.execute(sql`update automation_overdue set done = 4000 where automation_id = ${automation}`);
    await page.getByText("4,000 of 5,000 done").waitFor();
    // A pause ends it: another resume counts anew.
    await press(page, "Pause");
    await page.getByText("4,000 of 5,000 done").waitFor({ state: "detached" });
    await dashboard.ask("POST", `/v1/automations/${id}/resume`);
  });

  test("its mails are sent as a test, all of them or one, as somebody of the list would get them", async () => {
    const tested = await automations.made(WELCOME, "Tested");
    await automations.go(`/automations/${tested}?view=outline`);
    await press(page, "More for Tested");
    await page.getByRole("menuitem", { name: "Send as a test" }).click();
    const dialog = page.getByRole("dialog", { name: "Send as a test" });
    await dialog
      .getByLabel("Which mails")
      .getByText("All 3 mails of the draft")
      .waitFor({ state: "attached" });
    await dialog.getByRole("button", { name: /made up/ }).click();
    await page.getByRole("option", { name: /kofi/ }).click();
    await dialog.getByLabel("To").fill("ada@example.com bob@example.com");
    await automations.looks("test-mails");
    await dialog.getByRole("button", { name: "Send the test" }).click();
    await page.getByText("It is in the sandbox inbox, for ada@example.com and bob@example.com.").waitFor();
    const caught = () => dashboard.ask("GET", "/v1/sandbox/messages?to=ada@example.com");
    assert.equal((await caught()).data.length, 3);
    await press(page, /^Close$/);
    await press(page, /^More for .*Three we would lend you/);
    await page.getByRole("menuitem", { name: "Send it as a test" }).click();
    await dialog.getByLabel("To").fill("ada@example.com");
    await dialog.getByRole("button", { name: "Send the test" }).click();
    await page.getByText("It is in the sandbox inbox, for ada@example.com.").waitFor();
    assert.equal((await caught()).data.length, 4);
    assert.equal((await dashboard.ask("GET", `/v1/automations/${tested}/stats`)).entered, 0);
  });

  test("steps that tell others are offered", async () => {
    const draft = await automations.made(WELCOME, "Telling");
    await automations.go(`/automations/${draft}?view=outline`);
    await press(page, "Add a step after “Welcome, reader”");
    await page.getByRole("menuitem", { name: "Webhook" }).click();
    await page.getByLabel("Address").first().fill("https://example.com/hook");
    await automations.isSaved(
      draft,
      ({ draft: { nodes }, faults }) =>
        nodes.webhook_1?.url === "https://example.com/hook" && faults.length === 0,
    );
    await finish(watched);
  });
});
