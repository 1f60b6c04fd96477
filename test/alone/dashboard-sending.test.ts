/** Sending and watching in the dashboard, with a mail server that is slow, puts some off and refuses others. */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { skipWithoutChromium, type WatchedPage } from "../support/browser.ts";
import { act, makeCampaign, readCampaign } from "../support/campaigns.ts";
import {
  assertAccessible,
  type Dashboard,
  finish,
  MOST_MS,
  press,
  startDashboard,
} from "../support/dashboard.ts";
import { type Sink, startSink } from "../support/sink/sink.ts";
import { type Json, makeList } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PEOPLE = 1_100;
const DOMAINS = ["gmail.com", "yahoo.com", "outlook.com", "posteo.example"];
/** Some forty mails a second are slow enough to pause in their midst. */
const SLOW = { at: "dot", delayMs: 150 } as const;
/** By 421, 451 and 454 the server would slow its whole domain down, for up to a minute after it has changed its mind. */
const LATER = "450 4.2.1 the mailbox is busy, try again later";
const UNKNOWN = "550 5.1.1 user unknown";

describe("sending a campaign in the dashboard", { skip: skipWithoutChromium, timeout: MOST_MS }, () => {
  let sink: Sink;
  let dashboard: Dashboard;
  let watched: WatchedPage;
  let page: Page;
  let many: string;
  let few: string;
  before(async () => {
    sink = await startSink();
    dashboard = await startDashboard({
      SMTP_URL: `smtp://127.0.0.1:${sink.port}`,
      PUBLIC_URL: "https://mail.example.com",
      RETRY_AFTER_SECONDS: "10",
    });
    many = await makeReaders("Letter readers", PEOPLE);
    few = await makeReaders("Poetry club", 3);
    watched = await dashboard.openAsOwner();
    page = watched.page;
    await call("PATCH", "/v1/account", { time_zone: "Asia/Tokyo" });
  });
  after(async () => {
    await finish(watched);
    await dashboard?.stop();
    await sink?.stop();
  });

  async function call(method: string, path: string, body?: unknown): Promise<Json> {
    const reply = await dashboard.app.api(method, path, body === undefined ? {} : { body });
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
    return reply.body;
  }
  async function makeReaders(name: string, count: number): Promise<string> {
    const sender = { name, from_email: "letters@fernhill.example", postal_address: "14 Bondgate, Otley" };
    const listId = await makeList(dashboard.app, sender);
    for (let from = 0; from < count; from += 1_000) {
      const subscribers = Array.from({ length: Math.min(1_000, count - from) }, (_, n) => ({
        email: `${name[0]}${from + n}@${DOMAINS[n % DOMAINS.length]}`,
        list_id: listId,
      }));
      await call("POST", "/v1/subscribers/batch", { subscribers });
    }
    return listId;
  }
  const draft = async (listId: string, name: string): Promise<string> =>
    (await makeCampaign(dashboard.app, listId, { name, subject: "Winter" }))["id"];
  const go = (path: string) => page.goto(dashboard.app.baseUrl + path);
  const said = (text: string | RegExp, on = page) => on.getByText(text).first().waitFor();
  const dialog = () => page.getByRole("dialog");
  const status = async (id: string) => (await readCampaign(dashboard.app, id))["status"];
  const stats = (id: string) => call("GET", `/v1/campaigns/${id}/stats`);
  /** Says where the campaign stands when what was waited for did not happen. */
  async function explained<T>(id: string, waiting: Promise<T>): Promise<T> {
    return waiting.catch(async (cause) => {
      const grave = dashboard.app.logs.filter((line) => /"level":"(warn|error)"/.test(line)).slice(-20);
      const known = [await stats(id), await readCampaign(dashboard.app, id), await sink.count(), grave];
      throw new Error(`${cause.message}\n${JSON.stringify(known)}`, { cause });
    });
  }

  /** Opens the last look before a send from the draft. */
  async function openReview(id: string): Promise<void> {
    await go(`/campaigns/${id}/edit`);
    await press(page, /Review and send/);
    await dialog()
      .getByText(/on the list/)
      .waitFor();
  }
  async function goOn(): Promise<void> {
    await dialog().getByRole("button", { name: "Go on" }).click();
    await dialog().getByRole("button", { name: "Back" }).waitFor();
    await until(() => page.evaluate<boolean>("document.activeElement.closest('[role=dialog]') !== null"));
  }
  /** The sum in words, which is of one moment: the recipients, and the parts that they fall into. */
  async function readSum(): Promise<readonly number[]> {
    const numbers = await page.evaluate<string[]>(
      `[...document.querySelectorAll(".live-hero .sum b")].map((one) => one.textContent)`,
    );
    return numbers.map((text) => Number(text.replaceAll(",", "")));
  }
  async function assertAddsUp(): Promise<void> {
    const [recipients, ...parts] = await readSum();
    if (recipients === undefined) return;
    assert.equal(
      parts.reduce((sum, part) => sum + part, 0),
      recipients,
    );
  }

  const secondsShown = async () =>
    Number(/leaves in (\d+) s/.exec(await page.getByText(/leaves in \d+ s/).innerText())?.[1]);
  /** By the service's clock: a page that is slow may show too many seconds for a moment, but never too few. */
  async function assertCountsDown(id: string): Promise<void> {
    const leavesMs = Date.parse((await readCampaign(dashboard.app, id))["send_at"]);
    const shown = await secondsShown();
    const left = (leavesMs - Date.now()) / 1_000;
    assert.ok(shown <= 30 && shown >= Math.floor(left), `${shown} s are shown, ${left} s are left`);
    await until(async () => (await secondsShown()) < shown, 30_000);
  }

  it("is asked in two steps, with the exact number, and can be taken back in another tab", async () => {
    const id = await draft(many, "Winter catalogue");
    await openReview(id);
    await said("Letter readers");
    await said("letters@fernhill.example");
    await said("This instance's mail server");
    await assertAccessible(page, "the review");
    await goOn();
    await dialog().getByText("Send “Winter catalogue” to 1,100 people?").waitFor();
    const send = dialog().getByRole("button", { name: "Send to 1,100 people" });
    await send.click();
    await said("This isn't 1,100 yet.");
    assert.equal(await status(id), "draft");
    await page.getByLabel("To be sure, type the number of people").fill("1,100");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/campaigns\/cmp_\w+$/);
    await said(/“Winter catalogue” leaves in \d+ s, to 1,100 people/);
    await said(/, in \d+ seconds?$/);
    await assertCountsDown(id);
    await page.reload();
    await assertCountsDown(id);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await press(other, "Take it back");
    await other.waitForURL(/\/edit$/);
    await said("“Winter catalogue” is a draft again. Nothing has left.", other);
    await other.close();
    await page.waitForURL(/\/edit$/);
    assert.equal(await status(id), "draft");
    assert.equal((await sink.count()).taken, 0);
  });

  it("is watched with a sum that adds up, paused in its midst, resumed, and reaches everybody once", async () => {
    await sink.misbehave([
      { at: "rcpt", to: "^L\\d*7@", reply: UNKNOWN },
      { at: "rcpt", to: "@yahoo", reply: LATER },
      SLOW,
    ]);
    await call("PATCH", "/v1/account", { guardrails: { hard_bounce_pause_rate: 0.2 } });
    const id = await draft(many, "Winter, all readers");
    await openReview(id);
    await goOn();
    await page.getByLabel("To be sure, type the number of people").fill("1100");
    await dialog().getByRole("button", { name: "Send to 1,100 people" }).click();
    await page.getByRole("button", { name: "Take it back" }).waitFor();
    // The half minute needn't be waited for: somebody lets it leave at once, and the page sees it go.
    assert.equal((await act(dashboard.app, id, "send")).status, 202);
    await page.getByRole("button", { name: /Pause/ }).waitFor();
    await page.locator(".live-hero .sum").waitFor();
    const isHalfway = async () => {
      await assertAddsUp();
      return (await stats(id))["sent"] > 100;
    };
    await explained(id, until(isHalfway));
    await page.keyboard.press("p");
    await said(/paused it at|You paused it at/);
    await said(/^paused .* by you$/);
    // What was on the wire may end meanwhile; the page follows.
    await until(async () => {
      const { queued } = await stats(id);
      assert.ok(queued > 100, "it was paused in its midst");
      const text = `Resuming goes on with exactly the ${queued.toLocaleString("en-GB")} who are left`;
      return (await page.getByText(text).count()) > 0;
    });
    await assertAddsUp();
    await said("No such mailbox");
    await said(UNKNOWN);
    await said(LATER);
    await page.getByRole("cell", { name: /yahoo\.com/ }).waitFor();
    await assertAccessible(page, "a paused campaign");
    await page.emulateMedia({ colorScheme: "dark" });
    await page.setViewportSize({ width: 360, height: 780 });
    await assertAccessible(page, "a paused campaign on a telephone in the dark");
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await sink.misbehave([{ at: "rcpt", to: "^L\\d*7@", reply: UNKNOWN }]);
    await press(page, /Resume/);
    await page.getByRole("button", { name: /Pause/ }).waitFor();
    // A domain that asked us to come back later is left alone for up to two minutes.
    const isSent = async () => {
      await assertAddsUp();
      return (await status(id)) === "sent";
    };
    await explained(id, until(isSent, 240_000));
    await page.getByRole("button", { name: "Duplicate" }).waitFor();
    const { sent, failed, queued } = await stats(id);
    assert.deepEqual([sent + failed, queued], [PEOPLE, 0]);
    const { bodies } = await sink.log();
    const told = bodies.map(({ to }) => to);
    assert.equal(new Set(told).size, told.length, "nobody got it twice");
  });

  it("is planned for a time as one says it, put off, and taken off the schedule", async () => {
    const id = await draft(few, "Three slim volumes");
    await openReview(id);
    await dialog()
      .getByLabel(/^At a time/)
      .check();
    await dialog().getByRole("button", { name: "Go on" }).click();
    await said("Say when it shall leave");
    const words = dialog().getByLabel("When shall it leave?");
    await words.fill("yesterday noon");
    await said(/isn't understood/);
    await words.fill("tomorrow at 5");
    await said("In the morning or in the afternoon?");
    await dialog()
      .getByRole("button", { name: /at 17:00/ })
      .click();
    await said(/in Asia\/Tokyo, the account's zone/);
    await words.fill("tomorrow at nine");
    await goOn();
    await dialog()
      .getByRole("button", { name: /^Send it .*09:00/ })
      .click();
    await said(/^Leaves .* at 09:00/);
    const planned = await readCampaign(dashboard.app, id);
    assert.deepEqual([planned["status"], new Date(planned["send_at"]).getHours()], ["scheduled", 9]);
    await press(page, "Change the time");
    await dialog().getByLabel("When shall it leave?").fill("in 2 hours");
    await press(page, "Plan it");
    await until(async () => {
      const { send_at: at } = await readCampaign(dashboard.app, id);
      return Math.abs(new Date(at).getTime() - Date.now() - 7_200_000) < 60_000;
    });
    await press(page, "Back to draft");
    await page.waitForURL(/\/edit$/);
    assert.equal(await status(id), "draft");
  });

  it("that paused itself says why, in plain words and with the figures, and its rest is cancelled", async () => {
    await sink.misbehave([{ at: "rcpt", to: "^L\\d*[0-4]@", reply: UNKNOWN }, SLOW]);
    await call("PATCH", "/v1/account", {
      guardrails: { hard_bounce_pause_rate: 0.05, hard_bounce_after_mails: 40 },
    });
    const id = await draft(many, "A list nobody cleaned");
    await act(dashboard.app, id, "send");
    await go(`/campaigns/${id}`);
    await explained(id, said("Paused by itself: too many addresses don't exist"));
    await said(/mails bounced hard \([\d.]+%\); the limit is 5%/);
    await press(page, "Cancel the rest");
    // What was on the wire may end meanwhile; the question follows.
    await until(async () => {
      const number = (await stats(id)).queued.toLocaleString("en-GB");
      return (await dialog().getByText(`Cancel the mail to ${number} people?`).count()) === 1;
    });
    await dialog()
      .getByRole("button", { name: /^Cancel for \d+ people$/ })
      .click();
    await until(async () => (await status(id)) === "canceled");
    await page.getByRole("button", { name: "Duplicate" }).waitFor();
    await call("PATCH", "/v1/account", { guardrails: null });
  });

  describe("where something happens between the look and the send", () => {
    const confirm = () => dialog().getByRole("button", { name: "Send to 3 people" }).click();
    const ready = async (name: string): Promise<string> => {
      await sink.misbehave([]);
      const id = await draft(few, name);
      await openReview(id);
      await goOn();
      return id;
    };

    it("what was changed while it was looked at is shown before the question", async () => {
      await sink.misbehave([]);
      const id = await draft(few, "Changed in the review");
      await openReview(id);
      await call("PATCH", `/v1/campaigns/${id}`, { subject: "A later subject" });
      await dialog().getByRole("button", { name: "Go on" }).click();
      await said(/changed it at .* look at it once more/);
      await dialog().getByText("A later subject").waitFor();
      await goOn();
      await dialog().getByRole("button", { name: "Send to 3 people" }).waitFor();
    });

    it("only the version that was shown is sent", async () => {
      const id = await ready("Changed meanwhile");
      await call("PATCH", `/v1/campaigns/${id}`, { subject: "Another subject" });
      await confirm();
      await said(/changed it at .* look at it once more/);
      await dialog().getByText("Another subject").waitFor();
      assert.equal(await status(id), "draft");
      await goOn();
      await confirm();
      await said(/leaves in \d+ s/);
      // Another tab is faster by a moment: what it did isn't called too late.
      await page.route("**/unschedule", async (route) => {
        await act(dashboard.app, id, "unschedule");
        await route.continue();
      });
      await press(page, "Take it back");
      await said("“Changed meanwhile” is a draft again. Nothing has left.");
      await page.waitForURL(/\/edit$/);
      await page.unroute("**/unschedule");
    });

    it("somebody else's send is told, with a way to it", async () => {
      const id = await ready("Sent meanwhile");
      await act(dashboard.app, id, "send");
      await until(async () => (await status(id)) === "sent");
      await confirm();
      await said("It has been sent already.");
      await dialog().getByRole("button", { name: "Keep editing" }).waitFor();
      await dialog().getByRole("button", { name: "Go on" }).waitFor({ state: "detached" });
      await dialog().getByRole("link", { name: "See how it stands" }).click();
      await page.waitForURL(new RegExp(`/campaigns/${id}$`));
    });

    it("a campaign that was deleted isn't sent", async () => {
      const id = await ready("Deleted meanwhile");
      await dashboard.app.api("DELETE", `/v1/campaigns/${id}`);
      await confirm();
      await said("It was deleted meanwhile");
    });

    it("a list that was emptied is told before anything leaves", async () => {
      const id = await ready("Emptied meanwhile");
      const { data } = await call("GET", `/v1/subscribers?list_id=${few}`);
      for (const one of data) await call("POST", `/v1/subscribers/${one.id}/unsubscribe`, {});
      await confirm();
      await said("Nobody would get it");
      await said(/no one here may be mailed/i);
      assert.equal(await status(id), "draft");
    });
  });
});
