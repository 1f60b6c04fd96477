import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { skipWithoutChromium } from "../support/browser.ts";
import { type Dashboard, finish, MOST_MS, press, startDashboard } from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";
import { uuidOf } from "../support/subscribers.ts";

const LONG = `${"a-label-of-sixty-three-characters-".repeat(2).slice(0, 63)}.example`;

describe("storms of bounces, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: Awaited<ReturnType<Dashboard["openAsOwner"]>>;
  let page: Page;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner("/inbound/storms");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  /** Notes a storm as it stands once its bounces were read and held. */
  const storm = (domain: string, held: number) =>
    dashboard.app.db.execute(sql`
      insert into bounce_storms (account_id, id, domain, state, hard, mails, usual_share, held, created_at, last_at)
      values (${uuidOf("acc", dashboard.app.accountId)}, ${newId(systemClock)}, ${domain}, 'open', 64, 310, 0.01, ${held}, now(), now())`);
  const states = async () =>
    Object.fromEntries(
      (await dashboard.ask("GET", "/v1/inbound/storms")).data.map(
        (one: { domain: string; status: string }) => [one.domain, one.status],
      ),
    );
  const inDialog = (name: string) =>
    page.getByRole("dialog").getByRole("button", { name, exact: true }).click();

  test("an empty page says what a storm is; one that is there is kept or suppressed once asked", async () => {
    await page.getByRole("heading", { name: "No domain had a storm of bounces" }).waitFor();
    await storm("fault.example", 71);
    await storm("gone.example", 1_204);
    await storm(LONG, 64);
    await page.reload();
    await page.getByText("64 of 310 mails bounced within an hour; usually 1.0% do").first().waitFor();
    await assertLooks(page, "storms");
    await page.getByRole("button", { name: "Keep the addresses at fault.example" }).click();
    await page.getByRole("heading", { name: "Keep 71 addresses at fault.example?" }).waitFor();
    await inDialog("Keep the addresses");
    await page.getByText("71 addresses at fault.example are kept").first().waitFor();
    await page.getByRole("button", { name: "Suppress the addresses at gone.example" }).click();
    await inDialog("Suppress the addresses");
    assert.deepEqual((await states())["gone.example"], "open", "so many have to be typed");
    await page.getByRole("dialog").getByRole("textbox").fill("1204");
    await inDialog("Suppress the addresses");
    await page.getByText("1,204 addresses at gone.example are suppressed").first().waitFor();
    assert.deepEqual(await states(), {
      "fault.example": "dismissed",
      "gone.example": "released",
      [LONG]: "open",
    });
  });

  test("those in one state are shown by the address, and what somebody else decided is said", async () => {
    await page.getByRole("combobox", { name: "Show" }).selectOption({ label: "Wants a decision" });
    await page.waitForURL(/show=open/);
    await page.getByRole("row", { name: /^gone\.example/ }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: `Keep the addresses at ${LONG}` }).click();
    const { data } = await dashboard.ask("GET", "/v1/inbound/storms?status=open");
    await dashboard.ask("POST", `/v1/inbound/storms/${data[0].id}/release`);
    await inDialog("Keep the addresses");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await press(page, "Cancel");
    await finish(watched);
  });
});
