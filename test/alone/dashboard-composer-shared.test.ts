/** Two people write the same campaign, or one does without a connection: nothing that was typed is lost. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { type ComposerTest, startComposer } from "../support/composer.ts";
import { assertAccessible, finish, holdUndo, MOST_MS, press } from "../support/dashboard.ts";
import { until } from "../support/until.ts";

describe("a campaign that several write", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let composer: ComposerTest;
  let page: Page;
  let ada: WatchedPage;
  before(async () => {
    composer = await startComposer();
    page = composer.page;
    ada = await composer.invite("Ada Marsh", "ada@fernhill.example");
  });
  after(async () => {
    await composer?.dashboard.stop();
  });

  /** Both have it open, and the first one hears of nothing until they save. */
  const both = async () => {
    const id = await composer.made();
    await page.route("**/v1/events/stream*", (route) => route.abort());
    await composer.open(id);
    await composer.open(id, ada.page);
    return id;
  };
  const clash = async () => {
    const id = await both();
    await composer.typed("Subject", " by Ada", ada.page);
    await composer.isSaved(id, { subject: "Winter news by Ada" });
    await composer.typed("Subject", " by me");
    await composer.typed("Preview text", "Mine alone");
    await composer.state("Changed elsewhere");
    await page.getByText(/^Ada Marsh changed this at .*: Subject\. Yours isn't saved\.$/).waitFor();
    return id;
  };

  test("changes of other fields go together, and are told of", async () => {
    const id = await both();
    await composer.typed("Subject", " by Ada", ada.page);
    await composer.isSaved(id, { subject: "Winter news by Ada" });
    await composer.typed("Preview text", "Mine");
    await page.getByText(/^Ada Marsh changed this at .* too\./).waitFor();
    await composer.isSaved(id, { subject: "Winter news by Ada", preview_text: "Mine" });
    await until(async () => (await composer.field("Subject").innerText()) === "Winter news by Ada");
  });

  test("one's own is kept", async () => {
    const id = await clash();
    await press(page, "Keep mine");
    await composer.saved();
    await composer.isSaved(id, { subject: "Winter news by me", preview_text: "Mine alone" });
  });

  test("theirs is taken, and can be given back", async () => {
    const id = await clash();
    await press(page, "Take theirs");
    await holdUndo(page);
    await until(async () => (await composer.field("Subject").innerText()) === "Winter news by Ada");
    await composer.isSaved(id, { subject: "Winter news by Ada", preview_text: "Mine alone" });
    await press(page, "Undo");
    await composer.isSaved(id, { subject: "Winter news by me" });
  });

  test("both are shown beside each other before one chooses", async () => {
    const id = await clash();
    await press(page, "Show both");
    await page.getByRole("heading", { name: "Two people changed this" }).waitFor();
    assert.deepEqual(await page.locator(".difference-cell").allInnerTexts(), [
      "Yours\nWinter news by me",
      "Ada Marsh\nWinter news by Ada",
    ]);
    await assertAccessible(page, "conflict");
    await composer.inDialog("Keep mine");
    await composer.isSaved(id, { subject: "Winter news by me" });
    await page.unroute("**/v1/events/stream*");
  });

  test("whoever only looks sees what the other saves, without asking", async () => {
    const id = await composer.made();
    await composer.open(id);
    await composer.open(id, ada.page);
    await composer.typed("Subject", " by Ada", ada.page);
    await page.getByText(/^Ada Marsh changed this at .* too\./).waitFor();
    await until(async () => (await composer.field("Subject").innerText()) === "Winter news by Ada");
    await press(page, "Hide");
  });

  test("a campaign that is sent or deleted meanwhile says so", async () => {
    const id = await composer.made();
    await composer.open(id);
    await composer.api("POST", `/v1/campaigns/${id}/send`);
    await page.getByText("It has been sent, so it can't be changed.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Review and send" }).isDisabled(), true);
    await page.getByRole("link", { name: "Open its page" }).click();
    await page.waitForURL(`${composer.dashboard.app.baseUrl}/campaigns/${id}`);
    const other = await composer.made();
    await composer.open(other);
    await composer.api("DELETE", `/v1/campaigns/${other}`);
    await page.getByText(/^Somebody deleted this campaign\./).waitFor();
  });

  test("without a connection it is kept here, and saved once there is one", async () => {
    const { state, atEnd, saved, made, open, isSaved } = composer;
    const id = await made();
    await open(id);
    await page.context().setOffline(true);
    await atEnd("Subject");
    await page.keyboard.type(" offline");
    await state("Not saved, trying again");
    await page.keyboard.type(" and on");
    await page.context().setOffline(false);
    await isSaved(id, { subject: "Winter news offline and on" });
    await saved();
  });

  test("what a closed tab couldn't save is offered when one returns, and never lost to a newer one", async () => {
    const { api, field, state, atEnd, made, open, isSaved } = composer;
    const id = await made();
    const lose = async (text: string) => {
      const tab = await page.context().newPage();
      const path = `**/v1/campaigns/${id}`;
      await page
        .context()
        .route(path, (route) => (route.request().method() === "PATCH" ? route.abort() : route.fallback()));
      await open(id, tab);
      await atEnd("Subject", tab);
      await tab.keyboard.type(text);
      await state("Not saved, trying again", tab);
      // No route catches what a tab sends as it closes.
      await tab.evaluate("globalThis.fetch = () => Promise.reject(new TypeError('no connection'))");
      await tab.close();
      await page.context().unroute(path);
    };
    await lose(" unsaved");
    await open(id);
    await page.getByText(/^What you typed at .* wasn't saved\. This browser has kept it\.$/).waitFor();
    await press(page, "Put it back");
    await isSaved(id, { subject: "Winter news unsaved" });
    await lose(" twice");
    await api("PATCH", `/v1/campaigns/${id}`, { subject: "Of the shop" });
    await open(id);
    await page.getByText(/and the campaign was changed since/).waitFor();
    await press(page, "Put it back");
    await state("Changed elsewhere");
    await press(page, "Keep mine");
    await isSaved(id, { subject: "Winter news unsaved twice" });
    await page.reload();
    await field("Subject").waitFor();
    assert.equal(await page.getByText(/wasn't saved/).count(), 0);
  });

  test("what a closed tab sent as it closed isn't said to be unsaved", async () => {
    const { field, atEnd, made, open, isSaved } = composer;
    const id = await made();
    await open(id);
    await atEnd("Subject");
    await page.keyboard.type(" at the last moment");
    // The tab is told that it is hidden, keeps what is unsaved and sends it, but isn't there any more when the answer comes.
    const { promise: sent, resolve } = Promise.withResolvers<void>();
    await page.route(`**/v1/campaigns/${id}`, async (route) => {
      if (route.request().method() !== "PATCH") return route.fallback();
      await route.fetch();
      resolve();
    });
    await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"))`);
    await sent;
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await isSaved(id, { subject: "Winter news at the last moment" });
    await open(id);
    await until(async () => (await field("Subject").innerText()) === "Winter news at the last moment");
    assert.equal(await page.getByText(/wasn't saved/).count(), 0);
  });

  test("going back to a version doesn't replace what couldn't be saved", async () => {
    const { api, field, atEnd, state, made, open, isSaved } = composer;
    const id = await made();
    await api("PATCH", `/v1/campaigns/${id}`, { subject: "Second words" });
    await open(id);
    await atEnd("Subject");
    await page.keyboard.type(" by me");
    await isSaved(id, { subject: "Second words by me" });
    await page.route(`**/v1/campaigns/${id}`, (route) =>
      route.request().method() === "PATCH" ? route.abort() : route.fallback(),
    );
    await atEnd("Subject");
    await page.keyboard.type(" and more");
    await state("Not saved, trying again");
    await press(page, "Versions");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Go back to version/ })
      .click();
    await page
      .getByRole("dialog")
      .getByText(/couldn't be saved, so it isn't replaced/)
      .waitFor();
    await page.keyboard.press("Escape");
    assert.equal(await field("Subject").innerText(), "Second words by me and more");
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await isSaved(id, { subject: "Second words by me and more" });
    await finish(composer.watched);
    await finish(ada);
  });
});
