/** The people in an automation, in the dashboard: found by state, step and person, led on, moved and taken out, each with a journal. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { automationsOf, WELCOME } from "../support/dashboard-automations.ts";
import { uuidOf } from "../support/subscribers.ts";

describe("the people in an automation", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
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
    id = await automations.made(WELCOME);
  });
  after(async () => {
    await dashboard?.stop();
  });

  let hanna: string;
  /** The run of somebody who was taken out. */
  let taken: string;
  const row = (name: string | RegExp) => page.getByRole("row").filter({ hasText: name });
  const choose = async (person: string, item: string) => {
    await page.getByRole("button", { name: `More for ${person}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };
  const runOf = (runId: string) => dashboard.ask("GET", `/v1/automation_runs/${runId}`);

  test("before anybody came, it says so", async () => {
    await automations.go(`/automations/${id}`);
    await page.getByRole("link", { name: "People", exact: true }).click();
    await page.getByRole("heading", { name: "Nobody is inside now" }).waitFor();
    const current = page
      .getByRole("navigation", { name: "Parts of the automation" })
      .locator("[aria-current]");
    assert.deepEqual(await current.allTextContents(), ["People"]);
    await automations.looks("runs-empty", ["light"]);
  });

  test("people are found by step and by person", async () => {
    await dashboard.ask("POST", `/v1/automations/${id}/start`);
    await dashboard.ask("POST", `/v1/automations/${id}/pause`);
    await automations.put(id, "pause", "kofi@example.com");
    hanna = await automations.put(id, "why", "hanna@example.com");
    await automations.go(`/automations/${id}/people`);
    await row("kofi@example.com").filter({ hasText: "3 days, then until 09:00" }).waitFor();
    await row("kofi@example.com")
      .getByText(/^\w{3} \d+ \w{3},? \d{2}:\d{2}$/)
      .waitFor();
    await row("hanna@example.com").filter({ hasText: "Was it something we wrote?" }).waitFor();
    await automations.looks("runs-full");
    await page.getByLabel("Step").selectOption({ label: "3 days, then until 09:00" });
    await row("hanna@example.com").waitFor({ state: "detached" });
    await row("kofi@example.com").waitFor();
    await page.getByLabel("Step").selectOption({ label: "First order" });
    await page.getByRole("heading", { name: "Nobody matches" }).waitFor();
    await press(page, "Show all");
    await page.getByRole("button", { name: "Subscriber: Everybody" }).click();
    await page.getByRole("option", { name: /hanna/ }).click();
    await row("kofi@example.com").waitFor({ state: "detached" });
    await row("hanna@example.com").waitFor();
    assert.match(page.url(), /subscriber=sub_/);
  });

  test("a wait is skipped, somebody is moved and taken out, and the journal tells it", async () => {
    const runId = await automations.put(id, "pause", "priya@example.com");
    taken = runId;
    await automations.go(`/automations/${id}/people`);
    await choose("priya@example.com", "Skip the wait");
    await page.getByText("priya@example.com goes on now").waitFor();
    assert.equal((await runOf(runId)).node, "ask");
    await choose("priya@example.com", "Move to another step …");
    await page.getByRole("dialog").getByLabel("Step").selectOption({ label: "Three we would lend you" });
    await automations.looks("runs-move", ["light"], [360]);
    await page.getByRole("dialog").getByRole("button", { name: "Move", exact: true }).click();
    await page.getByText("priya@example.com is moved").waitFor();
    assert.equal((await runOf(runId)).node, "lend");
    await choose("priya@example.com", "Take out …");
    await page.getByRole("dialog").getByRole("button", { name: "Take out" }).click();
    await page.getByText("priya@example.com is out").waitFor();
    assert.equal((await runOf(runId)).ended_as, "removed");
    await row("priya@example.com").waitFor({ state: "detached" });
    await page.getByLabel("Who").selectOption({ label: "Left early" });
    await row("priya@example.com").filter({ hasText: "Taken out" }).waitFor();
    await choose("priya@example.com", "Show the journal");
    const drawer = page.getByRole("dialog", { name: "The way of priya@example.com" });
    await drawer.getByText(/The wait was cut short by one of you/).waitFor();
    await drawer.getByText(/Moved to another step by one of you/).waitFor();
    await drawer.getByText(/^Taken out/).waitFor();
    await automations.looks("runs-journal");
    await page.keyboard.press("Escape");
  });

  test("a person's page says in which automations they are and were", async () => {
    const second = await automations.made(WELCOME, "A longer way for those who came by a friend");
    await dashboard.ask("POST", `/v1/automations/${second}/start`);
    await dashboard.ask("POST", `/v1/automations/${second}/pause`);
    const { subscriber_id: person } = await runOf(await automations.put(second, "pause", "olu@example.com"));
    await dashboard.app.db.execute(sql`
      update automation_runs set subscriber_id = ${uuidOf("sub", person)} where id = ${uuidOf("run", taken)}`);
    await automations.go(`/subscribers/${person}`);
    const card = page.getByRole("region", { name: "Automations" });
    await card.getByText("Stands on “3 days, then until 09:00”").waitFor();
    await card.getByText(/^Goes on \w{3} \d/).waitFor();
    await card.getByText("Taken out").waitFor();
    // Who joined the list may have entered the first one by themselves meanwhile.
    const names = new Set(await card.getByRole("link").allTextContents());
    assert.deepEqual([...names].toSorted(), ["A longer way for those who came by a friend", "Welcome"]);
    await automations.looks("runs-of-subscriber");
    await card.getByRole("link", { name: "Welcome" }).last().click();
    await row("olu@example.com").filter({ hasText: "Taken out" }).waitFor();
    await automations.go(`/subscribers/${(await runOf(hanna)).subscriber_id}`);
    await page.getByRole("region", { name: "Automations" }).getByText("Stands on").waitFor();
  });

  test("what isn't there fails in words", async () => {
    await automations.go(`/automations/${id}/people?status=exited&run=run_00000000000000000000000000`);
    await page.getByRole("dialog").getByRole("heading", { name: "The people can't be shown" }).waitFor();
    await automations.looks("runs-failing", ["light"]);
    await finish(watched);
  });
});
