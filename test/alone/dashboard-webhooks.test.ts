import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { skipWithoutChromium } from "../support/browser.ts";
import { finish, holdUndo, MOST_MS, press } from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";
import { visitWebhooks, type WebhooksVisit } from "../support/dashboard-webhooks.ts";
import { until } from "../support/until.ts";
import { makeWebhook } from "../support/webhooks.ts";

describe("webhooks, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let visit: WebhooksVisit;
  before(async () => {
    visit = await visitWebhooks();
  });
  after(() => visit?.stop());

  let secret = "";
  const filter = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });

  test("an empty page says what they are for; one is made, and its secret is shown once", async () => {
    const { receiver, page, heading, dialog, inDialog, endpoint, wide } = visit;
    await heading("No endpoint yet");
    await assertLooks(page, "no endpoint");
    await wide();
    await press(page, "New endpoint");
    await inDialog("Add the endpoint");
    await dialog().getByText("Choose at least one event.").waitFor();
    await dialog().getByLabel("URL").fill("https://ada:secret@example.com/hooks");
    await dialog()
      .getByRole("checkbox", { name: /^Campaigns/ })
      .check();
    await inDialog("Add the endpoint");
    await dialog()
      .getByText(/user name or a password/)
      .waitFor();
    await dialog().getByLabel("URL").fill(receiver.url);
    await dialog().getByLabel("Description").fill("Our data warehouse");
    await dialog().getByRole("button", { name: "Single ones of “Subscribers”" }).click();
    await dialog()
      .getByRole("checkbox", { name: /subscriber\.created/ })
      .check();
    await assertLooks(page, "a new endpoint");
    await wide();
    await inDialog("Add the endpoint");
    await dialog()
      .getByText(/whsec_/)
      .waitFor();
    secret = (
      await dialog()
        .getByText(/whsec_/)
        .innerText()
    ).trim();
    await assertLooks(page, "the secret");
    await wide();
    await page.keyboard.press("Escape");
    assert.equal(await dialog().getByRole("button", { name: "Done" }).isDisabled(), true);
    await dialog().getByLabel("I have kept it").check();
    await inDialog("Done");
    await heading(receiver.url);
    const made = await endpoint();
    assert.deepEqual(made.events.toSorted(), ["campaign.*", "subscriber.created"]);
    assert.deepEqual([made.description, made.include, made.ordered], ["Our data warehouse", [], false]);
    await page.reload();
    await heading("Nothing was posted yet");
    assert.equal(await page.getByText(secret).count(), 0);
  });

  test("a test is sent, its result is told, and its delivery opened", async () => {
    const { receiver, page, dialog, inDialog, details } = visit;
    receiver.answerWith(200, "thank you");
    await press(page, "Send a test");
    await dialog().getByLabel("Type of event").selectOption("campaign.sent");
    await inDialog("Send the test");
    await dialog()
      .getByText(/Answered 200 in/)
      .waitFor();
    const [first] = receiver.received;
    assert.ok(first);
    assert.doesNotThrow(() =>
      new Webhook(secret).verify(first.text, first.headers as Record<string, string>),
    );
    receiver.answerWith(503, "not now");
    await inDialog("Send the test");
    await dialog()
      .getByText(/Answered 503 in .* Anything but 2xx is a failure/)
      .waitFor();
    await inDialog("Look at the delivery");
    await details().getByRole("heading", { name: "campaign.sent" }).waitFor();
    await details().getByText("not now").waitFor();
    assert.equal(await details().getByRole("button", { name: "Retry" }).count(), 0);
    assert.match(page.url(), /delivery=whd_/);
  });

  test("what happens is posted and appears by itself; one that failed is retried", async () => {
    const { receiver, page, heading, details, addSubscriber, wide } = visit;
    receiver.answerWith(500, "the database is full");
    await addSubscriber();
    const failed = page.getByRole("link", { name: "subscriber.created" });
    await failed.first().waitFor();
    await failed.first().click();
    await details().getByText("the database is full").waitFor();
    await details()
      .getByText(/Answered 500 in .*The next try is at/)
      .waitFor();
    await details().getByText('"list_id"').waitFor();
    await assertLooks(page, "a delivery that waits for its next try");
    await wide();
    receiver.answerWith(200, "taken");
    await details().getByRole("button", { name: "Retry" }).click();
    await details()
      .getByText(/Answered 200 in .*at try \d/)
      .waitFor();
    await details().getByText("taken").waitFor();
    const ids = receiver.received.slice(-2).map(({ headers }) => headers["webhook-id"]);
    assert.equal(ids[0], ids[1]);
    await filter(page, "State").selectOption("failed");
    await until(async () => (await page.locator(".delivery-table tbody tr").count()) === 1);
    assert.match(page.url(), /status=failed/);
    await filter(page, "Type").selectOption("campaign.paused");
    await heading("No delivery matches");
    await filter(page, "Type").selectOption("");
    await filter(page, "State").selectOption("");
    await details().getByRole("button", { name: "Close" }).click();
    await heading("Verify a signature");
    await assertLooks(page, "an endpoint with deliveries");
    await wide();
  });

  test("code that verifies is shown in three languages, and copied", async () => {
    const { page } = visit;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const [language, says] of [
      ["curl", "openssl dgst"],
      ["Python", "def verify"],
      ["TypeScript", "export function verify"],
    ] as const) {
      await press(page, language);
      const samples = page.getByRole("region", { name: "Verify a signature" });
      await samples.getByText(says).waitFor();
      await samples.getByRole("button", { name: "Copy" }).click();
      await samples.getByText("Copied").waitFor();
      const copied = await page.evaluate<string>("navigator.clipboard.readText()");
      assert.ok(copied.includes(says), copied);
      await samples.getByRole("button", { name: "Copy" }).waitFor();
    }
  });

  test("what happened is replayed; a second replay meanwhile is refused in clear words", async () => {
    const { dashboard, receiver, page, go, dialog, inDialog, endpoint, wide } = visit;
    const before = receiver.received.length;
    await press(page, "Replay");
    await inDialog("Replay them");
    await page.getByText("The replay has begun").waitFor();
    await until(() => receiver.received.length > before);
    const [posted, again] = [receiver.received[before - 1], receiver.received[before]];
    assert.equal(again?.headers["webhook-id"], posted?.headers["webhook-id"]);
    await until(async () => (await endpoint()).replay === null);
    await page.getByText("replay", { exact: true }).first().waitFor();

    const held: ServerResponse[] = [];
    const slow = createServer((_, response) => void held.push(response));
    await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
    try {
      const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
      const { id } = await makeWebhook(dashboard.app, { url, events: ["subscriber.created"] });
      const since = new Date(Date.now() - 3_600_000).toISOString();
      await dashboard.ask("POST", `/v1/webhooks/${id}/replay`, { since });
      await go(`/webhooks/${id}`);
      await page.getByText(/A replay runs since/).waitFor();
      await press(page, "Replay");
      await inDialog("Replay them");
      await dialog()
        .getByText(/A replay of this endpoint runs already/)
        .waitFor();
      await assertLooks(page, "a replay that is refused");
      await wide();
      await inDialog("Cancel");
      await dashboard.ask("DELETE", `/v1/webhooks/${id}`);
    } finally {
      slow.closeAllConnections();
      slow.close();
    }
  });

  test("it is switched off and on; one that answers 410 is off, and the page says why", async () => {
    const { receiver, page, go, choose, endpoint, addSubscriber, wide } = visit;
    const { id } = await endpoint();
    await go(`/webhooks/${id}`);
    await choose("Switch off");
    await holdUndo(page);
    await page.getByText(/Somebody switched it off/).waitFor();
    assert.equal((await endpoint()).disabled_reason, "by_user");
    assert.equal(await page.getByRole("button", { name: "Replay" }).count(), 0);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("The endpoint is on").waitFor();
    receiver.answerWith(410);
    await addSubscriber();
    await page.getByText(/It answered 410 Gone/).waitFor();
    await assertLooks(page, "an endpoint that is gone");
    await wide();
    receiver.answerWith(200);
    await press(page, "Switch on again");
    await until(async () => (await endpoint()).status === "enabled");
    await page.getByText(/It answered 410 Gone/).waitFor({ state: "detached" });
  });

  test("a new secret is made and shown once, and both sign for a while", async () => {
    const { watched, receiver, page, dialog, inDialog, choose } = visit;
    await choose("New secret");
    await inDialog("New secret");
    await dialog()
      .getByText(/whsec_/)
      .waitFor();
    const next = (
      await dialog()
        .getByText(/whsec_/)
        .innerText()
    ).trim();
    assert.notEqual(next, secret);
    await dialog().getByLabel("I have kept it").check();
    await inDialog("Done");
    await page.getByText(/The former secret works until/).waitFor();
    await press(page, "Send a test");
    await inDialog("Send the test");
    await dialog()
      .getByText(/Answered 200 in/)
      .waitFor();
    await inDialog("Cancel");
    const last = receiver.received.at(-1);
    for (const one of [secret, next])
      assert.doesNotThrow(() =>
        new Webhook(one).verify(last?.text ?? "", last?.headers as Record<string, string>),
      );
    await finish(watched);
  });
});
