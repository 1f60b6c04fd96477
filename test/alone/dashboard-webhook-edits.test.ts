import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { skipWithoutChromium } from "../support/browser.ts";
import { finish, MOST_MS, press } from "../support/dashboard.ts";
import { assertLooks } from "../support/dashboard-looks.ts";
import { visitWebhooks, type WebhooksVisit } from "../support/dashboard-webhooks.ts";
import { addPerson, PASSWORD } from "../support/people.ts";
import { makeWebhook } from "../support/webhooks.ts";

describe("an endpoint that is there, in a browser", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let visit: WebhooksVisit;
  before(async () => {
    visit = await visitWebhooks();
    const { app } = visit.dashboard;
    const events = ["subscriber.created"];
    const { id } = await makeWebhook(app, { url: visit.receiver.url, events });
    await visit.addSubscriber();
    await visit.go(`/webhooks/${id}`);
    await visit.page.getByRole("link", { name: "subscriber.created" }).waitFor();
  });
  after(() => visit?.stop());

  test("what two people edit at once is shown to the second, who chooses", async () => {
    const { dashboard, page, dialog, inDialog, endpoint, wide } = visit;
    await press(page, "Edit");
    await dialog().getByLabel("Description").fill("Mine");
    await dialog().getByLabel("With the e-mail address").check();
    const { id } = await endpoint();
    await dashboard.ask("PATCH", `/v1/webhooks/${id}`, { description: "Theirs" });
    await inDialog("Save");
    await dialog().getByRole("cell", { name: "Theirs", exact: true }).waitFor();
    await assertLooks(page, "an endpoint that two people changed");
    await wide();
    await inDialog("Keep mine");
    await page.getByText("The endpoint is saved").waitFor();
    const { description, include } = await endpoint();
    assert.deepEqual([description, include], ["Mine", ["email"]]);
  });

  test("an answer is text, whatever it holds", async () => {
    const { receiver, page, inDialog, details } = visit;
    const payload = `<img src=x onerror="document.title='ran'"><script>document.title='ran'</script>\u202e<a href="javascript:alert(1)">x</a>`;
    receiver.answerWith(500, payload);
    await press(page, "Send a test");
    await inDialog("Send the test");
    await inDialog("Look at the delivery");
    await details().getByText("<img src=x").waitFor();
    assert.ok((await details().innerText()).includes(payload));
    assert.equal(await details().locator("img, script, a[href^='javascript']").count(), 0);
    assert.ok(!(await page.title()).includes("ran"));
    receiver.answerWith(200);
  });

  test("a member looks and has no button to change anything", async () => {
    const { dashboard, receiver } = visit;
    await addPerson(dashboard.app, "joe@example.com");
    const member = await dashboard.open("/webhooks");
    await member.page.getByLabel("E-mail address").fill("joe@example.com");
    await member.page.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await press(member.page, "Sign in");
    await member.page.getByRole("link", { name: receiver.url }).click();
    await member.page.getByRole("link", { name: "subscriber.created" }).first().click();
    await member.page.getByText("We sent").waitFor();
    for (const name of ["New endpoint", "Edit", "Send a test", "More", "Replay", "Retry"])
      assert.equal(await member.page.getByRole("button", { name, exact: true }).count(), 0, name);
    await finish(member);
  });

  test("where they can't be read, the page says so and tries again", async () => {
    const { page, go, heading, endpoint, wide } = visit;
    const broken = {
      status: 500,
      contentType: "application/problem+json",
      body: JSON.stringify({
        status: 500,
        code: "internal_error",
        title: "Fault",
        detail: "a fault of ours",
      }),
    };
    for (const [path, title] of [
      ["/webhooks", "The endpoints can't be shown"],
      [`/webhooks/${(await endpoint()).id}`, "The deliveries can't be shown"],
    ] as const) {
      const answers = path === "/webhooks" ? "**/v1/webhooks" : "**/v1/webhooks/*/deliveries";
      await page.route(answers, (route) => route.fulfill(broken));
      await go(path);
      await heading(title);
      await assertLooks(page, title);
      await wide();
      await page.unroute(answers);
      // An event may have had it read already.
      const again = page.getByRole("button", { name: "Try again" });
      await again.click({ timeout: 5_000 }).catch(async () => assert.equal(await again.count(), 0));
      await page.getByRole("table").waitFor();
    }
  });

  test("the list shows how each does, and one is deleted once asked", async () => {
    const { dashboard, receiver, watched, page, go, heading, inDialog, choose, wide } = visit;
    await go("/webhooks");
    await page.getByText("1 of 1 delivered").waitFor();
    await assertLooks(page, "the endpoints");
    await wide();
    await page.getByRole("link", { name: receiver.url }).click();
    await heading(receiver.url);
    await choose("Delete");
    await inDialog("Delete the endpoint");
    await heading("No endpoint yet");
    assert.deepEqual((await dashboard.ask("GET", "/v1/webhooks")).data, []);
    await finish(watched);
  });
});
