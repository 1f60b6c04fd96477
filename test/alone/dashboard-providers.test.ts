import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";
import { addCountedDays } from "../support/reputation.ts";
import { uuidOf } from "../support/subscribers.ts";

describe("mail by provider, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/deliverability/providers");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const select = (name: string) => page.getByRole("combobox", { name, exact: true });
  const rowOf = (name: string) => page.getByRole("row").filter({ hasText: name });

  test("without mail it says that none was counted yet, and where to go", async () => {
    await page.getByRole("heading", { name: "No mail was counted yet" }).waitFor();
    await page.getByRole("link", { name: "See the campaigns" }).waitFor();
    await assertAccessible(page, "no mail by provider");
  });

  test("each provider has a row of small charts, and complaints to Gmail are unknown", async () => {
    await addCountedDays(dashboard.app.db, uuidOf("acc", dashboard.app.accountId), 390, [
      { provider: "google", fromDomain: "news.fernhill.example", perDay: 4_000 },
      { provider: "yahoo", fromDomain: "news.fernhill.example", perDay: 1_500 },
      { provider: "microsoft", fromDomain: "fernhill.example", perDay: 900 },
      { provider: "other", fromDomain: "fernhill.example", perDay: 300 },
    ]);
    await page.reload();
    await rowOf("Gmail and Google Workspace").getByText("Unknown").waitFor();
    assert.equal(await rowOf("Gmail and Google Workspace").locator("svg.sparkline").count(), 4);
    assert.equal(await rowOf("Yahoo and AOL").locator("svg.sparkline").count(), 5);
    assert.equal(await rowOf("Yahoo and AOL").getByText("Unknown").count(), 0);
    await rowOf("Other mailboxes").waitFor();
    await assertLooks(page, "mail by provider");
  });

  test("what is chosen stands in the address, and one provider is shown closer, as a table too", async () => {
    await select("From").selectOption("news.fernhill.example");
    await rowOf("Outlook.com").waitFor({ state: "detached" });
    await press(page, "13 months");
    await page.getByRole("link", { name: "Yahoo and AOL" }).click();
    await page.getByRole("heading", { name: "Yahoo and AOL", level: 2 }).waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual(
      ["domain", "days", "provider"].map((name) => searchParams.get(name)),
      ["news.fernhill.example", "395", "yahoo"],
    );
    await page.reload();
    await press(page, "As a table");
    const table = page.getByRole("table", { name: "Mail at Yahoo and AOL over time" });
    await table.getByRole("columnheader", { name: "Complained" }).waitFor();
    assert.ok((await table.getByRole("row").count()) >= 57);
    await press(page, "As a chart");
    await assertLooks(page, "mail at one provider over 13 months");
    await page.getByRole("link", { name: "Gmail and Google Workspace" }).click();
    await page.getByText("This provider doesn't tell senders who complained").waitFor();
  });

  test("where nothing matches, that is said; and nothing went wrong meanwhile", async () => {
    await page.goto(`${dashboard.app.baseUrl}/deliverability/providers?domain=unknown.example`);
    await page.getByRole("heading", { name: "No mail matches" }).waitFor();
    await assertAccessible(page, "no mail matches");
    await finish(watched);
  });
});
