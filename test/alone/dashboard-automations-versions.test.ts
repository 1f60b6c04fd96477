/** The versions of an automation in the dashboard, held against each other in plain words; and the sums in the list of automations. */
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { automationsOf, WELCOME } from "../support/dashboard-automations.ts";

describe("the versions of an automation", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
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

  test("before the first start there is none, and it says when there will be", async () => {
    await automations.go(`/automations/${id}/versions`);
    await page.getByRole("heading", { name: "No version yet" }).waitFor();
    await automations.looks("versions-empty", ["light"]);
  });

  test("the draft and any two versions are told apart step by step", async () => {
    await dashboard.ask("POST", `/v1/automations/${id}/start`);
    const { why: _gone, ...kept } = WELCOME.nodes;
    const draft = {
      ...WELCOME,
      send: { quiet: { from: "22:00", to: "07:00" } },
      nodes: {
        ...kept,
        hello: { ...kept.hello, html: "<p>Other words</p>" },
        pause: { ...kept.pause, for: "P5D" },
        ask: { ...kept.ask, else: "asked" },
        asked: { type: "tag", add: ["asked"], next: "end" },
      },
    };
    await dashboard.ask("PATCH", `/v1/automations/${id}`, { draft });
    await automations.go(`/automations/${id}/versions`);
    const compared = page.getByRole("region", { name: "Compare" });
    await compared.getByText("6 differences").waitFor();
    for (const words of [
      "Before: 3 days, then until 09:00",
      "Now: 5 days, then until 09:00",
      "What the mail says is changed.",
      "Everybody else: leads to “Add asked” instead of “Was it something we wrote?”.",
      "Now: not 22:00 to 07:00",
    ])
      await compared.getByText(words, { exact: false }).waitFor();
    await compared.getByRole("listitem").filter({ hasText: "Gone" }).filter({ hasText: "Was it" }).waitFor();
    await compared
      .getByRole("listitem")
      .filter({ hasText: "New" })
      .filter({ hasText: "Add asked" })
      .waitFor();
    await automations.looks("versions-full");
    await dashboard.ask("POST", `/v1/automations/${id}/publish`, {});
    await automations.go(`/automations/${id}/versions`);
    await compared.getByText("Both are the same.").waitFor();
    await page.getByRole("row", { name: /Version 2.*runs now/ }).waitFor();
    await press(page, "Compare version 2 with the one before");
    await compared.getByText("6 differences").waitFor();
  });

  test("the list of automations counts who is inside, came and went through", async () => {
    await automations.count(id, [
      ["", "entered", 12_440],
      ["", "completed", 11_000],
      ["", "exited:unsubscribed", 1_128],
    ]);
    await automations.made(WELCOME, "Never");
    await automations.go("/automations");
    await page
      .getByRole("row", { name: /Welcome.*312 people in it now.*12,440 came, 11,000 went through/ })
      .waitFor();
    await page.getByRole("row", { name: /Never.*Never started/ }).waitFor();
    await automations.looks("list-counts");
    await finish(watched);
  });
});
