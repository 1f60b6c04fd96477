/** What comes back by SMTP, through the whole program: from the return path of a mail to what follows for its address. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApp, type TestApp } from "../support/app.ts";
import { sendCampaign } from "../support/sent-campaigns.ts";
import { connectRaw } from "../support/smtp/raw-client.ts";
import {
  addSubscriber,
  eventsSince,
  type Json,
  makeList,
  readSubscriber,
  settled,
} from "../support/subscribers.ts";
import { until } from "../support/until.ts";

let app: TestApp;
let port: number;
let count = 0;
const unique = (domain = `d${++count}.example`) => `person${++count}@${domain}`;

before(async () => {
  app = await createApp({ settings: { INBOUND_DOMAIN: "bounces.example.net", INBOUND_PORT: "0" } });
  const line = app.logs.find((one) => one.includes("takes bounces by SMTP"));
  port = JSON.parse(line ?? assert.fail("no listener")).port;
});
after(() => app.stop());

type Sent = { readonly id: string; readonly to: string; readonly from: string; readonly raw: string };

/** Sends a campaign to people with these addresses, and returns the campaign and what each got. */
async function mail(addresses: readonly string[]): Promise<{ campaign: string; sent: Sent[] }> {
  const list = await makeList(app);
  const ids: string[] = [];
  for (const to of addresses) ids.push((await addSubscriber(app, list, to)).id);
  const campaign = await sendCampaign(app, list);
  const sent = await Promise.all(
    addresses.map(async (to, nth): Promise<Sent> => {
      const page = await app.api("GET", `/v1/sandbox/messages?to=${encodeURIComponent(to)}`);
      const [{ id, from }] = page.body.data;
      const { text } = await app.api("GET", `/v1/sandbox/messages/${id}/raw`);
      return { id: ids[nth] as string, to, from, raw: text.replaceAll(/\r\n[ \t]+/g, " ") };
    }),
  );
  return { campaign, sent };
}

const report = (kind: string, fields: readonly string[], returned: string) =>
  [
    "From: MAILER-DAEMON@mx.example.com",
    "Subject: Undelivered Mail Returned to Sender",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${kind}; boundary="b"`,
    "",
    "--b",
    "",
    "This is a report.",
    "--b",
    `Content-Type: message/${kind}`,
    "",
    ...fields,
    "",
    "--b",
    "Content-Type: message/rfc822",
    "",
    returned.trimEnd(),
    "--b--",
    "",
  ].join("\r\n");

function bounceOf({ to, raw }: Sent, status = "5.1.1", words = "No such user"): string {
  const fields = [
    "Reporting-MTA: dns; mx.example.com",
    "",
    `Final-Recipient: rfc822; ${to}`,
    "Action: failed",
  ];
  return report(
    "delivery-status",
    [...fields, `Status: ${status}`, `Diagnostic-Code: smtp; 550 ${status} ${words}`],
    raw,
  );
}

async function deliver(to: string, raw: string, from = ""): Promise<void> {
  const client = await connectRaw(port);
  await client.reply();
  for (const line of ["EHLO mx.example.com", `MAIL FROM:<${from}>`, `RCPT TO:<${to}>`])
    assert.match(await client.ask(line), /^250/);
  assert.match(await client.ask("DATA"), /^354/);
  client.send(`${raw}.\r\n`);
  assert.match(await client.reply(), /^250/);
  client.end();
}

const statusOf = async ({ id }: Sent) => (await readSubscriber(app, id))["status"];
const statsOf = async (campaign: string): Promise<Json> =>
  (await app.api("GET", `/v1/campaigns/${campaign}/stats`)).body;
const suppressionOf = async ({ to }: Sent): Promise<Json | undefined> =>
  (await app.api("GET", `/v1/suppressions?email=${encodeURIComponent(to)}`)).body.data[0];
const items = async (): Promise<Json[]> => (await app.api("GET", "/v1/inbound?limit=200")).body.data;

/** Waits until so many more items are read than there were, and returns the newest with its reports. */
async function afterReading(work: () => Promise<void>, more = 1): Promise<Json> {
  const before = (await items()).length;
  await work();
  let all: Json[] = [];
  await until(async () => {
    all = await items();
    return all.length >= before + more && all.every(({ state }) => state !== "waiting");
  });
  return (await app.api("GET", `/v1/inbound/${all[0]?.["id"]}`)).body;
}

test("a bounce suppresses the address, lowers what the campaign delivered, and says why", async () => {
  const { campaign, sent } = await mail([unique(), unique()]);
  const [gone, stays] = sent as [Sent, Sent];
  const item = await afterReading(() => deliver(gone.from.toUpperCase(), bounceOf(gone)));
  assert.deepEqual(
    item["reports"].map(
      ({ kind, class: one, reason, status, outcome, matched_by: by, recipient, campaign_id }: Json) => ({
        kind,
        one,
        reason,
        status,
        outcome,
        by,
        recipient,
        campaign_id,
      }),
    ),
    [
      {
        kind: "bounce",
        one: "hard",
        reason: "user_unknown",
        status: "5.1.1",
        outcome: "suppressed",
        by: "return_path",
        recipient: gone.to,
        campaign_id: campaign,
      },
    ],
  );
  assert.equal(await statusOf(gone), "bounced");
  assert.equal(await statusOf(stays), "active");
  assert.equal((await suppressionOf(gone))?.["reason"], "hard_bounce");
  const stats = await statsOf(campaign);
  assert.deepEqual([stats["sent"], stats["delivered"], stats["bounces"]["hard"]], [2, 1, 1]);
  await settled(app);
  const { events } = await eventsSince(app);
  const bounced = events.filter(({ type }) => type === "email.bounced");
  assert.deepEqual(
    bounced.map(({ data }) => [data.campaign_id, data.subscriber_id, data.reason, data.cause]),
    [[campaign, gone.id, "hard_bounce", "user_unknown"]],
  );
  // Another server on the way reports the same, and somebody reads the first report again.
  const again = await afterReading(() => deliver(gone.from, bounceOf(gone, "5.1.10", "Recipient not found")));
  assert.equal(again["reports"][0].outcome, "duplicate");
  assert.equal((await app.api("POST", `/v1/inbound/${item["id"]}/reread`)).status, 202);
  await until(async () => (await items()).every(({ state }) => state === "read"));
  assert.equal((await app.api("GET", `/v1/inbound/${item["id"]}`)).body.reports[0].outcome, "suppressed");
  assert.equal((await statsOf(campaign))["delivered"], 1);
});

test("a complaint without an address stops campaigns, and a mail to the unsubscribe address leaves the list", async () => {
  const { campaign, sent } = await mail([unique(), unique(), unique()]);
  const [angry, leaver, away] = sent as [Sent, Sent, Sent];
  const complaint = report(
    "feedback-report",
    ["Feedback-Type: abuse", "Version: 1"],
    angry.raw.replaceAll(angry.to, "redacted"),
  );
  await afterReading(() => deliver(angry.from, complaint, "fbl@isp.example"));
  assert.equal(await statusOf(angry), "complained");
  assert.deepEqual((await suppressionOf(angry))?.["streams"], ["campaign", "automation"]);
  const told = (await app.api("GET", `/v1/subscribers/${angry.id}/activity`)).body.data.find(
    ({ type }: Json) => type === "email.complained",
  );
  const { name } = (await app.api("GET", `/v1/campaigns/${campaign}`)).body;
  assert.deepEqual([told.data.campaign_id, told.data.campaign_name], [campaign, name]);
  const mailto = /<mailto:([^?>]+)/.exec(leaver.raw)?.[1] ?? assert.fail("no mailto");
  await afterReading(() => deliver(mailto, `From: ${leaver.to}\r\nSubject: unsubscribe\r\n\r\n`, leaver.to));
  assert.equal(await statusOf(leaver), "unsubscribed");
  const absence = `From: ${away.to}\r\nSubject: Out of office\r\nAuto-Submitted: auto-replied\r\n\r\nAway.\r\n`;
  const item = await afterReading(() => deliver(away.from, absence, away.to));
  assert.equal(item["reports"][0].outcome, "ignored");
  assert.equal(await statusOf(away), "active");
  const stats = await statsOf(campaign);
  assert.deepEqual([stats["complaints"], stats["unsubscribes"], stats["delivered"]], [1, 1, 3]);
});

test("a storm is held until somebody decides, and the suppressions of a domain can be undone", async () => {
  const domain = "storm.example";
  const { campaign, sent } = await mail(Array.from({ length: 24 }, () => unique(domain)));
  await afterReading(async () => {
    await Promise.all(sent.slice(0, 22).map((one) => deliver(one.from, bounceOf(one))));
  }, 22);
  const open = (await app.api("GET", "/v1/inbound/storms?status=open")).body.data;
  assert.deepEqual(
    open.map((one: Json) => [one["domain"], one["held"]]),
    [[domain, 22]],
  );
  const alerts = async () =>
    (await app.api("GET", "/v1/deliverability/alerts")).body.data
      .filter(({ kind }: Json) => kind === "storm")
      .map(({ status, subject }: Json) => [status, subject]);
  assert.deepEqual(await alerts(), [["open", open[0].id]]);
  for (const one of sent) assert.equal(await statusOf(one), "active");
  assert.equal((await items()).filter(({ outcome }) => outcome === "held").length, 22);
  assert.equal((await statsOf(campaign))["bounces"]["hard"], 22);
  const { status, body } = await app.api("POST", `/v1/inbound/storms/${open[0].id}/release`);
  assert.deepEqual([status, body.status], [200, "released"]);
  assert.deepEqual(await alerts(), [["closed", open[0].id]]);
  for (const one of sent.slice(0, 22)) assert.equal(await statusOf(one), "bounced");
  assert.equal((await app.api("POST", `/v1/inbound/storms/${open[0].id}/dismiss`)).status, 409);
  // The person who released it was wrong.
  const range = {
    domain: "STORM.example",
    from: "2020-01-01T00:00:00Z",
    to: new Date(Date.now() + 60_000).toISOString(),
  };
  const undo = (more: Json = {}) => app.api("POST", "/v1/suppressions/undo", { body: { ...range, ...more } });
  assert.deepEqual((await undo({ dry_run: true })).body, {
    object: "suppressions_undone",
    matched: 22,
    undone: 0,
  });
  assert.deepEqual((await undo({ reason: "soft_bounces" })).body["matched"], 0);
  assert.deepEqual((await undo({ domain: "other.example" })).body["matched"], 0);
  assert.deepEqual((await undo()).body, { object: "suppressions_undone", matched: 22, undone: 22 });
  for (const one of sent) assert.equal(await statusOf(one), "active");
  assert.equal(await suppressionOf(sent[0] as Sent), undefined);
  assert.equal((await undo({ to: range.from })).status, 422);
  assert.equal((await undo({ domain: "a b" })).status, 422);
});

test("an undo leaves what people decided, and pending subscribers are pending again", async () => {
  const domain = "undo.example";
  const { sent } = await mail([unique(domain), unique(domain)]);
  const [gone, byHand] = sent as [Sent, Sent];
  const list = await makeList(app, { double_opt_in: true });
  const pending = await addSubscriber(app, list, gone.to);
  assert.equal((await readSubscriber(app, pending.id))["status"], "pending");
  await app.api("POST", "/v1/suppressions", { body: { email: byHand.to, reason: "hard_bounce" } });
  await afterReading(() => deliver(gone.from, bounceOf(gone)));
  assert.equal((await readSubscriber(app, pending.id))["status"], "bounced");
  const body = { domain, from: "2020-01-01T00:00:00Z", to: new Date(Date.now() + 60_000).toISOString() };
  assert.equal((await app.api("POST", "/v1/suppressions/undo", { body })).body.undone, 1);
  assert.equal(await statusOf(gone), "active");
  assert.equal((await readSubscriber(app, pending.id))["status"], "pending");
  assert.equal(await statusOf(byHand), "bounced");
});

test("who is suppressed by hand after a bounce stays suppressed when the bounce is undone", async () => {
  const domain = "by-hand.example";
  const { sent } = await mail([unique(domain), unique(domain)]);
  const [byHand, byProgram] = sent as [Sent, Sent];
  await afterReading(async () => {
    for (const one of sent) await deliver(one.from, bounceOf(one));
  }, 2);
  const suppress = (email: string, reason: string) =>
    app.api("POST", "/v1/suppressions", { body: { email, reason } });
  const asked = await suppress(byHand.to, "manual");
  assert.deepEqual([asked.status, asked.body.reason], [200, "hard_bounce"]);
  assert.equal((await suppress(byHand.to, "manual")).status, 409);
  assert.equal((await suppress(byProgram.to, "hard_bounce")).status, 200);
  const body = { domain, from: "2020-01-01T00:00:00Z", to: new Date(Date.now() + 60_000).toISOString() };
  const { matched, undone } = (await app.api("POST", "/v1/suppressions/undo", { body })).body;
  assert.deepEqual({ matched, undone }, { matched: 2, undone: 2 });
  assert.equal((await suppressionOf(byHand))?.["reason"], "manual");
  assert.equal(await statusOf(byHand), "active");
  assert.equal((await suppressionOf(byProgram))?.["reason"], "hard_bounce");
  assert.equal(await statusOf(byProgram), "bounced");
  assert.equal((await app.api("POST", "/v1/suppressions/undo", { body })).body.matched, 0);
});

test("the limits of soft bounces are the account's own", async () => {
  const defaults = { soft_limit: 5, soft_days: 14, soft_half_life_days: 120 };
  assert.deepEqual((await app.api("GET", "/v1/account")).body.bounces, defaults);
  const patch = (bounces: Json | null) => app.api("PATCH", "/v1/account", { body: { bounces } });
  assert.deepEqual((await patch({ soft_limit: 3 })).body.bounces, { ...defaults, soft_limit: 3 });
  assert.deepEqual((await patch({ soft_days: 7 })).body.bounces, {
    ...defaults,
    soft_limit: 3,
    soft_days: 7,
  });
  assert.equal((await patch({ soft_limit: 1 })).status, 422);
  assert.deepEqual((await patch(null)).body.bounces, defaults);
});
