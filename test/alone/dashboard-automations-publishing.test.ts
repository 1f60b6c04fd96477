/** What the dashboard says of an automation before it is published, and after: where its mails go, and who is concerned. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { automationsOf, WELCOME } from "../support/dashboard-automations.ts";

describe("publishing an automation", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
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
    await dashboard.ask("PATCH", "/v1/account", {
      from_email: "news@example.com",
      postal_address: "14 Bondgate, Otley",
    });
    id = await automations.made(WELCOME);
  });
  after(async () => {
    await dashboard?.stop();
  });

  const dialog = () => page.getByRole("dialog");

  test("without a server it is said before the start, and when it is tried, that its mails go into the sandbox", async () => {
    await automations.go(`/automations/${id}?view=outline&try=true`);
    await press(page, "Show the way");
    await dialog().getByText("published now, its mails would go into the sandbox").waitFor();
    await automations.looks("sandbox-tried", ["light"], [1_280, 360]);
    await page.keyboard.press("Escape");
    await press(page, /^Start$/);
    await dialog().getByText("its mails go into the sandbox and nobody gets them").waitFor();
    await automations.looks("sandbox-start");
    await press(page, "Start the automation");
    await page.locator(".head").getByText("Running").waitFor();
  });

  test("a version that goes into the sandbox says so until it is published again, with a server", async () => {
    const stuck = page.getByText("Nobody gets the mails of this version");
    await stuck.waitFor();
    await automations.looks("sandbox-runs");
    await press(page, "Publish again");
    await dialog().getByText("its mails go into the sandbox and nobody gets them").waitFor();
    await automations.looks("sandbox-publish", ["light"], [360]);
    await press(page, "Publish version 2");
    await page.getByText("Version 1 is the same, and stays").waitFor();
    const server = { name: "Ours", host: "localhost", streams: ["automation"] };
    await dashboard.ask("POST", "/v1/transports", server);
    await press(page, "Publish again");
    await dialog().getByText("Nobody is in it now.").waitFor();
    assert.equal(await dialog().getByText("sandbox").count(), 0);
    await press(page, "Publish version 2");
    await page.getByText("Version 2 is published").waitFor();
    await stuck.waitFor({ state: "detached" });
    await automations.go(`/automations/${id}/versions`);
    await page.getByRole("row", { name: /Version 1.*into the sandbox/ }).waitFor();
    const live = page.getByRole("row", { name: /Version 2/ });
    assert.equal(await live.getByText("into the sandbox").count(), 0);
    await automations.looks("sandbox-versions", ["light"], [360]);
  });

  test("steps that are gone are called as the outline called them", async () => {
    await automations.put(id, "why", "ann@example.com");
    const { why: _gone, ...kept } = WELCOME.nodes;
    const draft = { ...WELCOME, nodes: { ...kept, ask: { ...kept.ask, else: "end" } } };
    await dashboard.ask("PATCH", `/v1/automations/${id}`, { draft });
    await automations.go(`/automations/${id}?view=outline`);
    await press(page, "Publish changes");
    await dialog().getByText("Gone: Was it something we wrote?").waitFor();
    await dialog()
      .getByLabel("1 waits on “Was it something we wrote?”, which is gone, and goes on at")
      .selectOption({ label: "First order" });
    await page.waitForLoadState("networkidle");
    assert.equal(await dialog().getByLabel("which is gone").inputValue(), "order");
    await automations.looks("publish-gone");
    await press(page, "Publish version 3");
    await page.getByText("Version 3 is published").waitFor();
    await finish(watched);
  });
});
