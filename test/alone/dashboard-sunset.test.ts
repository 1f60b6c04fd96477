/** The sunset policy of a list is set, tried out and ended in a dialog, and somebody dormant is woken on their own page. */
import assert from "node:assert/strict";
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
import { assertLooks } from "../support/dashboard-looks.ts";
import { addSubscriber, makeList, uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("a sunset policy, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  let personId: string;
  before(async () => {
    dashboard = await startDashboard();
    listId = await makeList(dashboard.app, { name: "Readers" });
    personId = (await addSubscriber(dashboard.app, listId, "ada@quiet.example"))["id"];
    watched = await dashboard.openAsOwner("/lists");
    page = watched.page;
  });
  after(() => dashboard?.stop());

  const dialog = () => page.getByRole("dialog");
  const open = async () => {
    await press(page, "More for Readers");
    await page.getByRole("menuitem", { name: "Sunset policy…" }).click();
    await dialog().getByLabel("Days without a sign of life").waitFor();
  };
  const closed = () => dialog().waitFor({ state: "detached" });
  const read = () => dashboard.app.api("GET", `/v1/lists/${listId}/sunset`);
  const picture = async (name: string) => {
    const folder = process.env["PICTURES"];
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  };
  const mark = (state: string) =>
    dashboard.app.db.execute(sql`
      insert into dormancies (account_id, subscriber_id, list_id, state, marked_at, changed_at)
      values (${uuidOf("acc", dashboard.app.accountId)}, ${uuidOf("sub", personId)}, ${uuidOf("lst", listId)}, ${state}, now(), now())
      on conflict (account_id, subscriber_id) do update set state = excluded.state`);

  test("is set, after one has seen whom it would mark and what is wrong with what was typed", async () => {
    await open();
    assert.equal(await dialog().getByLabel("Days without a sign of life").inputValue(), "365");
    await dialog().getByRole("button", { name: "Count whom it would mark now" }).click();
    await dialog().getByText("0 subscribers would be marked now.").waitFor();
    await assertLooks(page, "the dialog of a sunset policy");
    await picture("sunset-dialog");
    await dialog().getByLabel("Days without a sign of life").fill("7");
    await dialog().getByRole("button", { name: "Set the policy" }).click();
    await until(
      async () =>
        (await dialog().getByLabel("Days without a sign of life").getAttribute("aria-invalid")) === "true",
    );
    assert.equal((await read()).status, 404);
    await dialog().getByLabel("Days without a sign of life").fill("180");
    await dialog().getByRole("button", { name: "Set the policy" }).click();
    await closed();
    const { body } = await read();
    assert.deepEqual([body.days, body.mails, body.grace_days, body.paused], [180, 12, 30, false]);
  });

  test("leaves out who is dormant, until somebody wakes them on their page", async () => {
    await mark("dormant");
    await page.goto(`${dashboard.app.baseUrl}/subscribers/${personId}`);
    await page.getByText("dormant by the sunset policy: no sign of life for long").waitFor();
    await assertAccessible(page, "somebody dormant");
    await picture("sunset-dormant");
    await press(page, "Wake");
    await page.getByText("ada@quiet.example is awake, and gets campaigns again").waitFor();
    await page.getByRole("button", { name: "Wake", exact: true }).waitFor({ state: "detached" });
    const { body } = await dashboard.app.api("GET", `/v1/subscribers/${personId}`);
    assert.equal(body.dormancy, null);
    await picture("sunset-woken");
  });

  test("shows whom it marked, and is ended with a word on how many that concerns", async () => {
    await mark("warned");
    await page.goto(`${dashboard.app.baseUrl}/lists`);
    await open();
    await dialog().getByText("Warned: 1 · dormant: 0").waitFor();
    await picture("sunset-marked");
    await dialog().getByRole("button", { name: "End the policy and wake everybody" }).click();
    await page.getByText("1 subscriber whom it marked gets every campaign again.").waitFor();
    await page.getByRole("button", { name: "End the policy and wake everybody" }).last().click();
    await closed();
    assert.equal((await read()).status, 404);
    await finish(watched);
  });
});
