import assert from "node:assert/strict";
import { test } from "node:test";
import type { Provider, Report } from "../types.ts";
import { readProviderBody } from "./providers.ts";

const TOKEN = `b${"a2".repeat(31)}`;

function read(provider: Provider, body: unknown): Report[] {
  return readProviderBody(provider, Buffer.from(JSON.stringify(body)));
}

function sns(message: unknown): unknown {
  return { Type: "Notification", MessageId: "m-1", Message: JSON.stringify(message) };
}

function brief({ kind, class: bounce, reason }: Report): string {
  return kind === "bounce" ? `${bounce} ${reason}` : kind;
}

const mail = {
  messageId: "0100018f-aaaa-bbbb",
  source: "news@shop.example",
  destination: ["ada@example.org"],
  timestamp: "2026-05-01T10:00:00.000Z",
  tags: { "return-path": [TOKEN] },
  commonHeaders: { messageId: "<abc@shop.example>" },
};
const sesBounce = (bounceType: string, bounceSubType: string, diagnosticCode = "", status = "") => ({
  notificationType: "Bounce",
  mail,
  bounce: {
    bounceType,
    bounceSubType,
    feedbackId: "f-1",
    timestamp: "2026-05-01T10:01:00.000Z",
    bouncedRecipients: [{ emailAddress: "ada@example.org", diagnosticCode, status }],
  },
});

test("a bounce of SES has all that it can be matched by", () => {
  const [report] = read(
    "ses",
    sns(sesBounce("Permanent", "General", "smtp; 550 5.1.1 user unknown", "5.1.1")),
  );
  assert.deepEqual(report, {
    kind: "bounce",
    class: "hard",
    reason: "user_unknown",
    status: "5.1.1",
    diagnostic: "550 5.1.1 user unknown",
    recipient: "ada@example.org",
    clues: { named: null, token: TOKEN, providerId: "0100018f-aaaa-bbbb", messageId: "<abc@shop.example>" },
    at: new Date("2026-05-01T10:01:00.000Z"),
    eventId: "f-1/0",
  });
});

test("what SES calls permanent is hard only where the other server's words don't say otherwise", () => {
  const cases: [string, unknown][] = [
    ["hard unclear", sesBounce("Permanent", "General")],
    ["hard user_unknown", sesBounce("Permanent", "NoEmail")],
    ["soft suppressed", sesBounce("Permanent", "OnAccountSuppressionList")],
    ["block spam_detected", sesBounce("Permanent", "General", "smtp; 554 5.7.1 message looks like spam")],
    ["soft mailbox_full", sesBounce("Permanent", "General", "smtp; 552 5.2.2 mailbox is full")],
    ["soft mailbox_full", sesBounce("Transient", "MailboxFull")],
    ["soft user_unknown", sesBounce("Transient", "General", "smtp; 550 5.1.1 user unknown")],
    ["soft unclear", sesBounce("Undetermined", "Undetermined")],
    ["block content_refused", sesBounce("Transient", "ContentRejected")],
  ];
  for (const [expected, notice] of cases) assert.equal(read("ses", sns(notice)).map(brief).join(), expected);
});

test("SES tells by eventType what it tells by notificationType, and more", () => {
  const events: [string, unknown][] = [
    [
      "complaint",
      {
        eventType: "Complaint",
        mail,
        complaint: { complainedRecipients: [{ emailAddress: "ada@example.org" }] },
      },
    ],
    [
      "other",
      {
        eventType: "Complaint",
        mail,
        complaint: {
          complaintFeedbackType: "not-spam",
          complainedRecipients: [{ emailAddress: "a@b.example" }],
        },
      },
    ],
    [
      "soft suppressed",
      {
        notificationType: "Complaint",
        mail,
        complaint: {
          complaintSubType: "OnAccountSuppressionList",
          complainedRecipients: [{ emailAddress: "a@b.example" }],
        },
      },
    ],
    [
      "delivered,delivered",
      { eventType: "Delivery", mail, delivery: { recipients: ["a@b.example", "c@b.example"] } },
    ],
    [
      "delay",
      {
        eventType: "DeliveryDelay",
        mail,
        deliveryDelay: { delayedRecipients: [{ emailAddress: "a@b.example" }] },
      },
    ],
    ["block content_refused", { eventType: "Reject", mail, reject: { reason: "Bad content" } }],
    ["", { eventType: "Open", mail, open: {} }],
  ];
  for (const [expected, notice] of events) assert.equal(read("ses", sns(notice)).map(brief).join(), expected);
  const ended = read("ses", { Type: "UnsubscribeConfirmation", Timestamp: "2026-05-01T10:00:00Z" });
  assert.equal(
    ended.map(({ kind, diagnostic }) => `${kind} ${diagnostic}`).join(),
    "other UnsubscribeConfirmation",
  );
});

test("the return path that SES names as the source is a token too", () => {
  const source = `${TOKEN}@in.shop.example`;
  const notice = { ...sesBounce("Permanent", "General"), mail: { messageId: "m", source } };
  assert.equal(read("ses", sns(notice))[0]?.clues.token, TOKEN);
});

test("Postmark's kinds of bounces are told apart", () => {
  const bounce = (Type: string, Details = "") => ({
    RecordType: "Bounce",
    ID: 42,
    Type,
    Details,
    Email: "ada@example.org",
    MessageID: "883953f4-0000-4000-8000-77a8eac79483",
    BouncedAt: "2026-05-01T12:00:00.1234567+02:00",
    Metadata: { "return-path": TOKEN },
  });
  const cases: [string, unknown][] = [
    ["hard user_unknown", bounce("HardBounce")],
    ["block spam_detected", bounce("HardBounce", "smtp;554 5.7.1 Message rejected as spam")],
    ["soft unclear", bounce("SoftBounce")],
    ["soft network_error", bounce("DnsError")],
    ["block authentication_failed", bounce("DMARCPolicy")],
    ["block policy_refused", bounce("Blocked")],
    ["delay", bounce("Transient")],
    ["auto_reply", bounce("AutoResponder")],
    ["other", bounce("OpenRelayTest")],
    ["complaint", { RecordType: "SpamComplaint", ID: 7, Email: "ada@example.org" }],
    ["delivered", { RecordType: "Delivery", Recipient: "ada@example.org", MessageID: "x" }],
    ["unsubscribe", change("ManualSuppression", "Recipient", true)],
    ["other", change("ManualSuppression", "Customer", true)],
    ["other", change("HardBounce", "Recipient", true)],
    ["other", change("ManualSuppression", "Recipient", false)],
    ["", { RecordType: "Open" }],
  ];
  for (const [expected, body] of cases) assert.equal(read("postmark", body).map(brief).join(), expected);
  const [report] = read("postmark", bounce("HardBounce"));
  assert.equal(report?.clues.token, TOKEN);
  assert.equal(report?.at?.toISOString(), "2026-05-01T10:00:00.123Z");
});

function change(SuppressionReason: string, Origin: string, SuppressSending: boolean) {
  return {
    RecordType: "SubscriptionChange",
    Recipient: "a@b.example",
    SuppressionReason,
    Origin,
    SuppressSending,
  };
}

test("Mailgun's failures are delays while it still tries", () => {
  const failed = (severity: string, reason: string, code: number, message: string) => ({
    signature: {},
    "event-data": {
      id: "e1",
      event: "failed",
      severity,
      reason,
      timestamp: 1_777_629_600.5,
      recipient: "ada@example.org",
      "delivery-status": { code, message, "enhanced-code": "" },
      message: { headers: { "message-id": "abc@shop.example" } },
      "user-variables": { "return-path": TOKEN },
    },
  });
  const simple = (event: string) => ({ "event-data": { event, id: event, recipient: "ada@example.org" } });
  const cases: [string, unknown][] = [
    ["delay", failed("temporary", "generic", 451, "try again later")],
    ["hard user_unknown", failed("permanent", "bounce", 550, "5.1.1 no such user here")],
    ["soft mailbox_full", failed("permanent", "bounce", 552, "5.2.2 over quota")],
    [
      "soft suppressed",
      failed("permanent", "suppress-bounce", 605, "Not delivering to previously bounced address"),
    ],
    ["hard unclear", failed("permanent", "generic", 0, "")],
    ["complaint", simple("complained")],
    ["unsubscribe", simple("unsubscribed")],
    ["delivered", simple("delivered")],
    ["", simple("opened")],
  ];
  for (const [expected, body] of cases) assert.equal(read("mailgun", body).map(brief).join(), expected);
  const [report] = read("mailgun", failed("permanent", "bounce", 550, "5.1.1 no such user here"));
  assert.equal(report?.clues.token, TOKEN);
  assert.equal(report?.clues.messageId, "<abc@shop.example>");
  assert.equal(report?.at?.toISOString(), "2026-05-01T10:00:00.500Z");
});

test("SendGrid's batch is read event by event, and the id is the one of its 250", () => {
  const one = (event: string, more: object = {}) => ({
    email: "ada@example.org",
    event,
    timestamp: 1_777_629_600,
    "smtp-id": "<abc@shop.example>",
    sg_event_id: `id-${event}`,
    sg_message_id: "Ff9kC1rATWGuVF.filter0001.16648.5515E0B88.0",
    "return-path": TOKEN,
    ...more,
  });
  const reports = read("sendgrid", [
    one("bounce", { type: "bounce", status: "5.1.1", reason: "550 5.1.1 unknown user" }),
    one("bounce", { type: "bounce", status: "5.0.0", bounce_classification: "Invalid Address", reason: "" }),
    one("bounce", { type: "blocked", reason: "550 5.7.1 blocked by our policy" }),
    one("bounce", { type: "bounce", bounce_classification: "Reputation", reason: "" }),
    one("blocked", { reason: "" }),
    one("dropped", { reason: "Bounced Address" }),
    one("dropped", { reason: "Invalid" }),
    one("deferred", { response: "450 later" }),
    one("delivered", { response: "250 OK" }),
    one("spamreport"),
    one("unsubscribe"),
    one("group_unsubscribe"),
    one("open"),
    one("processed"),
  ]);
  assert.deepEqual(reports.map(brief), [
    "hard user_unknown",
    "hard user_unknown",
    "block policy_refused",
    "block bad_reputation",
    "block policy_refused",
    "soft suppressed",
    "hard user_unknown",
    "delay",
    "delivered",
    "complaint",
    "unsubscribe",
    "unsubscribe",
  ]);
  assert.deepEqual(reports[0]?.clues, {
    named: null,
    token: TOKEN,
    providerId: "Ff9kC1rATWGuVF",
    messageId: "<abc@shop.example>",
  });
});

test("Brevo's events are read in either of their spellings", () => {
  const one = (event: string, reason = "") => ({
    event,
    reason,
    email: "ada@example.org",
    id: 26224,
    "message-id": "<202605011000.1@smtp-relay.mailin.fr>",
    ts_event: 1_777_629_600,
    "X-Mailin-custom": `return-path:${TOKEN}`,
  });
  const cases: [string, unknown][] = [
    ["hard unclear", one("hard_bounce")],
    ["hard user_unknown", one("hardBounce", "550 5.1.1 no such user")],
    ["soft mailbox_full", one("softBounce", "452 4.2.2 mailbox full")],
    ["soft unclear", one("soft_bounce")],
    ["soft suppressed", one("blocked")],
    ["hard user_unknown", one("invalid_email")],
    ["delay", one("deferred")],
    ["delivered", one("delivered")],
    ["complaint", one("spam")],
    ["complaint", one("complaint")],
    ["unsubscribe", one("unsubscribed")],
    ["", one("opened")],
    ["delay,delivered", [one("deferred"), one("delivered")]],
  ];
  for (const [expected, body] of cases) assert.equal(read("brevo", body).map(brief).join(), expected);
  const [report] = read("brevo", one("hard_bounce"));
  assert.equal(report?.clues.token, TOKEN);
  assert.equal(report?.clues.providerId, "202605011000.1@smtp-relay.mailin.fr");
});

test("SparkPost's classes of bounces are told apart", () => {
  const wrap = (kind: string, event: object) => ({
    msys: {
      [kind]: {
        event_id: "92356927693813856",
        timestamp: "1777629600",
        rcpt_to: "ada@example.org",
        rcpt_meta: { "return-path": TOKEN },
        message_id: "000443ee14578172be22",
        ...event,
      },
    },
  });
  const bounce = (bounce_class: string, raw_reason = "") =>
    wrap("message_event", { type: "bounce", bounce_class, raw_reason });
  const reports = read("sparkpost", [
    bounce("10"),
    bounce("30", "550 5.1.1 unknown user"),
    bounce("22"),
    bounce("52"),
    bounce("51"),
    bounce("26"),
    bounce("60"),
    bounce("90"),
    bounce("999"),
    wrap("message_event", { type: "out_of_band", bounce_class: "10" }),
    wrap("message_event", { type: "delay" }),
    wrap("message_event", { type: "delivery" }),
    wrap("message_event", { type: "spam_complaint", fbtype: "abuse" }),
    wrap("unsubscribe_event", { type: "list_unsubscribe" }),
    wrap("unsubscribe_event", { type: "link_unsubscribe" }),
    wrap("track_event", { type: "open" }),
    { msys: {} },
  ]);
  assert.deepEqual(reports.map(brief), [
    "hard user_unknown",
    "hard user_unknown",
    "soft mailbox_full",
    "block spam_detected",
    "block bad_reputation",
    "soft suppressed",
    "auto_reply",
    "unsubscribe",
    "soft unclear",
    "hard user_unknown",
    "delay",
    "delivered",
    "complaint",
    "unsubscribe",
    "unsubscribe",
  ]);
  assert.equal(reports[0]?.clues.token, TOKEN);
});

test("bytes that are no such notice give no report, and never an exception", () => {
  const deep = "[".repeat(100_000);
  const odd = [
    "",
    "{",
    "null",
    "[]",
    "[null,1,[],{}]",
    "\xff\xfe",
    deep + "]".repeat(100_000),
    deep,
    '{"__proto__":{"event":"bounce"},"constructor":1}',
    `{"a":${'{"a":'.repeat(50_000)}1${"}".repeat(50_001)}`,
    JSON.stringify(sns("{")),
    JSON.stringify({ Type: "Notification", Message: { not: "a text" } }),
    JSON.stringify(sns({ notificationType: "Bounce", bounce: { bouncedRecipients: 7 } })),
    JSON.stringify({ "event-data": [] }),
    JSON.stringify([{ msys: [] }, { msys: { x: null } }]),
  ];
  for (const provider of ["ses", "postmark", "mailgun", "sendgrid", "brevo", "sparkpost"] as const)
    for (const text of odd)
      assert.deepEqual(readProviderBody(provider, Buffer.from(text, "latin1")), [], text.slice(0, 40));
});

test("a value of another type than it should have isn't there, and text is bounded", () => {
  const [report] = read("sendgrid", [
    {
      event: "bounce",
      email: { a: 1 },
      timestamp: "no time",
      sg_event_id: ["x"],
      reason: `550 ${"x".repeat(1e6)}\r\n`,
    },
  ]);
  assert.equal(report?.recipient, null);
  assert.equal(report?.at, null);
  assert.equal(report?.eventId, null);
  assert.ok((report?.diagnostic.length ?? 0) <= 1_000);
});

test("at most 10,000 events of a request are read", () => {
  const many = Array.from({ length: 12_000 }, (_, n) => ({ event: "delivered", email: `a${n}@b.example` }));
  assert.equal(read("sendgrid", many).length, 10_000);
  const recipients = Array.from({ length: 12_000 }, (_, n) => `a${n}@b.example`);
  assert.equal(read("ses", sns({ eventType: "Delivery", mail, delivery: { recipients } })).length, 10_000);
});
