/** The export and the deletion of an account, in a browser. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { PASSWORD } from "../support/people.ts";
import { until } from "../support/until.ts";

describe("an account's export and deletion, in a browser", {
  skip: skipWithoutChromium,
  timeout: MOST_MS,
}, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/settings/account");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  async function look(name: string): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1_440, 360]) {
        await page.setViewportSize({ width, height: 900 });
        await assertAccessible(page, `${name}, ${colorScheme}, ${width}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize({ width: 1_440, height: 900 });
  }

  test("an export is saved whole, once the owner has confirmed", async () => {
    await page.getByRole("heading", { name: "Delete this account" }).waitFor();
    await look("account");
    await dashboard.app.db.execute(sql`update sessions set confirmed_at = null`);
    const saving = page.waitForEvent("download");
    await press(page, "Export everything");
    await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await page.locator(".dialog-f .btn-primary").click();
    const file = await (await saving).path();
    await page.getByText("The export is complete").waitFor();
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    const last = JSON.parse(lines.at(-1) ?? "");
    assert.deepEqual([last.object, last.lines], ["account_export_end", lines.length]);
  });

  test("an export that is broken off says so, and saves nothing", async () => {
    await page.route("**/v1/account/export*", (route) =>
      route.fulfill({ status: 200, contentType: "application/jsonl", body: '{"object":"account_export"}\n' }),
    );
    await press(page, "Export everything");
    await page.getByText("The export was broken off").waitFor();
    await page.unroute("**/v1/account/export*");
  });

  test("the account is deleted by its name, and that is taken back", async () => {
    const { body: account } = await dashboard.app.api("GET", "/v1/account");
    await press(page, "Delete this account…");
    const name = page.getByLabel("Name of the account");
    await name.fill("Something else");
    await press(page, "Delete the account");
    await page.getByText("This isn't the name of the account").waitFor();
    await look("deleting");
    await name.fill(account.name);
    await press(page, "Delete the account");
    await page.getByText("This account will be deleted on").waitFor();
    await until(async () => (await dashboard.app.api("GET", "/v1/account/deletion")).status === 200);
    await page.getByText("This account is about to be deleted.").waitFor();
    await look("pending");
    await press(page, "Keep the account");
    await page.getByRole("button", { name: "Delete this account…" }).waitFor();
    assert.equal((await dashboard.app.api("GET", "/v1/account/deletion")).status, 404);
    await finish(watched);
  });
});
