/** These tests select subscribers in a browser and change them together; the API says whether what was shown is so. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { sql } from "../../src/platform/db/db.ts";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  holdUndo,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { uuidOf } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

describe("many subscribers at once, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let listId: string;
  before(async () => {
    dashboard = await startDashboard();
    watched = await dashboard.openAsOwner();
    page = watched.page;
    listId = (await api("GET", "/v1/lists")).data[0].id;
    for (const from of [0, 1_000]) {
      const subscribers = Array.from({ length: from ? 60 : 1_000 }, (_, n) => ({
        email: `reader-${String(from + n).padStart(4, "0")}@example.com`,
        list_id: listId,
        ...(n < 3 && from === 0 && { tags: ["old"] }),
      }));
      await api("POST", "/v1/subscribers/batch", { subscribers });
    }
  });
  after(async () => {
    await dashboard?.stop();
  });

  const api: Dashboard["ask"] = (...asked) => dashboard.ask(...asked);
  const tagged = async (tag: string): Promise<number> =>
    (await api("GET", `/v1/subscribers?tag=${tag}&limit=1&include_total=true`)).total;
  const open = async (search = "?sort=email") => {
    await page.goto(`${dashboard.app.baseUrl}/subscribers${search}`);
    await page.getByRole("link", { name: "reader-0000@example.com" }).waitFor();
  };
  const box = (n: number) =>
    page.getByRole("checkbox", { name: `Select reader-${String(n).padStart(4, "0")}@example.com` });
  const bar = () => page.getByRole("region", { name: "What to do with those selected" });
  const selected = (text: string) => bar().getByText(`${text} selected`, { exact: true }).waitFor();
  const act = (name: string) => bar().getByRole("button", { name, exact: true }).click();
  const inDialog = (name: string | RegExp) =>
    page.getByRole("dialog").last().getByRole("button", { name }).click();
  const newest = async () => (await api("GET", "/v1/bulk_changes?limit=1")).data[0];

  test("rows are selected one by one, as a range, as a page, and stay so on other pages", async () => {
    await open();
    await box(1).click();
    await box(4).click({ modifiers: ["Shift"] });
    await selected("4");
    await box(2).click();
    await selected("3");
    await press(page, "Older");
    await page.getByRole("link", { name: "reader-0050@example.com" }).waitFor();
    await box(50).click();
    await selected("4");
    await press(page, "Newer");
    await page.getByRole("link", { name: "reader-0000@example.com" }).waitFor();
    assert.equal(await box(3).isChecked(), true);
    assert.equal(await box(2).isChecked(), false);
    await page.keyboard.press("Escape");
    await bar().waitFor({ state: "detached" });
    await page.getByRole("link", { name: "reader-0000@example.com" }).focus();
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await selected("1");
    assert.equal(await box(1).isChecked(), true);
    await page.keyboard.press("Control+a");
    await selected("50");
    await page.getByLabel("Search by address").focus();
    await page.keyboard.press("Control+a");
    await selected("50");
    await assertAccessible(page, "a selection");
  });

  test("those who are named get a tag, and an undo takes it off again", async () => {
    await open();
    await box(5).click();
    await box(6).click();
    await act("Tag");
    await inDialog("Tag");
    await page.locator('[aria-invalid="true"], [role="alert"]').first().waitFor();
    await page.getByLabel("Tags", { exact: true }).fill("spring, summer");
    await assertAccessible(page, "the dialog of tags");
    await inDialog("Tag");
    await holdUndo(page);
    await page.getByText("2 subscribers tagged “spring, summer”").first().waitFor();
    await bar().waitFor({ state: "detached" });
    assert.deepEqual([await tagged("spring"), await tagged("summer")], [2, 2]);
    await press(page, "Undo");
    await page.getByText("Put back for 2 subscribers").first().waitFor();
    assert.deepEqual([await tagged("spring"), await tagged("summer")], [0, 0]);
    assert.equal((await newest()).status, "undone");
  });

  test("tags are taken off and fields are set", async () => {
    await api("POST", "/v1/fields", { key: "seats", name: "Seats", type: "number" });
    await open("?sort=email&tag=old");
    await page.keyboard.press("Control+a");
    await selected("3");
    await act("Set a field");
    await page.getByLabel("Field", { exact: true }).selectOption("fields.seats");
    await page.getByLabel("Value", { exact: true }).fill("7");
    await inDialog("Set a field");
    await page.getByText("The field of 3 subscribers was set").first().waitFor();
    const { data } = await api("GET", "/v1/subscribers?tag=old");
    assert.deepEqual(
      data.map((one: { fields: object }) => one.fields),
      [{ seats: 7 }, { seats: 7 }, { seats: 7 }],
    );
    await page.keyboard.press("Control+a");
    await act("More");
    await page.getByRole("menuitem", { name: "Take off tags" }).click();
    await page.getByLabel("Tags", { exact: true }).fill("old");
    await inDialog("Take off tags");
    await page.getByRole("heading", { name: "Nobody matches" }).waitFor();
    assert.equal(await tagged("old"), 0);
  });

  test("all of the filter are meant by it, not those of the page; a large number is typed before they are deleted", async () => {
    await open();
    await box(0).click();
    await act("Select all 1,060");
    await selected("1,060");
    await act("Unsubscribe");
    const dialog = page.getByRole("dialog").last();
    await dialog.getByText("This can't be undone", { exact: false }).waitFor();
    await inDialog("Unsubscribe 1,060 subscribers");
    await page.locator('[aria-invalid="true"]').first().waitFor();
    assert.equal((await api("GET", "/v1/subscribers/counts")).unsubscribed, 0);
    await page.getByText("This isn't 1060 yet.").waitFor();
    // The number goes to the field that has the focus.
    await page.keyboard.type("106");
    assert.equal(await page.getByLabel("Type 1060 to go on").inputValue(), "106");
    await page.getByLabel("Type 1060 to go on").fill("1,060");
    await inDialog("Unsubscribe 1,060 subscribers");
    await page.getByText("1,060 subscribers unsubscribed").first().waitFor();
    const change = await newest();
    assert.deepEqual([change.filter, change.counts.changed, change.undo_until], [{}, 1_060, null]);
    assert.equal((await api("GET", "/v1/subscribers/counts")).unsubscribed, 1_060);
    await page.getByRole("link", { name: "Unsubscribed 1,060" }).click();
    await until(() => /status=unsubscribed/.test(page.url()));
    await page.getByRole("link", { name: "Active 0" }).click();
    await page.getByRole("heading", { name: "Nobody matches" }).waitFor();
  });

  test("what runs is shown on the page and beside it, and can be canceled", async () => {
    // A change that is set back to running after its end stays so, for as long as somebody looks.
    const made = await api("POST", "/v1/bulk_changes", {
      filter: { list_id: listId },
      action: { type: "add_tags", tags: ["slow"] },
    });
    await until(async () => (await api("GET", `/v1/bulk_changes/${made.id}`)).status === "completed");
    await dashboard.app.db.execute(sql`
      update bulk_changes set status = 'running', changed = 500, finished_at = null
      where id = ${uuidOf("blk", made.id)}`);
    await open();
    await page.getByText("500 of 1,060", { exact: false }).waitFor();
    await page.getByRole("region", { name: "In the background" }).getByText("47%").waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    await assertAccessible(page, "a running change, narrow");
    await page.setViewportSize({ width: 1_440, height: 900 });
    await press(page, "Cancel");
    await page.getByText("Canceled after 500").first().waitFor();
    assert.equal((await api("GET", `/v1/bulk_changes/${made.id}`)).status, "canceled");
  });

  test("nothing went wrong on the way", () => finish(watched));
});
