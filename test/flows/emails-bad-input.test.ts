/** What a transactional mail is refused for, and how attachments and many mails at once are taken. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import PostalMime from "postal-mime";
import { sql } from "../../src/platform/db/db.ts";
import { createApp, type Reply, type TestApp } from "../support/app.ts";
import { caughtFor, MAIL, postEmail, sendEmail, untilStatus } from "../support/emails.ts";
import { type Json, suppress } from "../support/subscribers.ts";
import { until } from "../support/until.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const attachment = (more: Json = {}) => ({ filename: "a.txt", content: "aGVsbG8=", ...more });
const faultsOf = ({ body }: Reply) =>
  (body.errors ?? []).map(({ pointer, code }: Json) => `${pointer} ${code}`).join(", ");

describe("a mail with bad input", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp({ settings: { ROLES: "api" } });
  });
  after(() => app.stop());

  const refused: readonly (readonly [what: string, mail: Json, faults: string | RegExp])[] = [
    ["a line break in the subject", { subject: "a\r\nBcc: x@example.com" }, "/subject invalid_character"],
    ["a line break in from", { from: "A\nB <a@example.com>" }, "/from invalid_character"],
    [
      "a line break in an address",
      { to: ["a@example.com\r\nRCPT TO:<b@example.com>"] },
      "/to/0 invalid_character",
    ],
    ["a line break in reply_to", { reply_to: "a@example.com\n" }, "/reply_to invalid_character"],
    [
      "a line break in a header",
      { headers: { "X-A": "a\r\nBcc: b@example.com" } },
      "/headers/X-A invalid_character",
    ],
    ["a line break in a tag", { tags: ["a\nb"] }, "/tags/0 invalid_character"],
    ["a line break in metadata", { metadata: { "a/~": "b\rc" } }, "/metadata/a~1~0 invalid_character"],
    [
      "a line break in a file name",
      { attachments: [attachment({ filename: "a\r\nb" })] },
      "/attachments/0/filename invalid_character",
    ],
    [
      "a header that is ours",
      { headers: { "Message-ID": "<a@b>" } },
      "/headers/Message-ID header_not_allowed",
    ],
    ["a header that reveals", { headers: { Bcc: "a@example.com" } }, "/headers/Bcc header_not_allowed"],
    ["a header with a colon", { headers: { "X-A: b": "c" } }, "/headers/X-A: b header_not_allowed"],
    [
      "our own header",
      { headers: { "X-Postrider-Tag": "a" } },
      "/headers/X-Postrider-Tag header_not_allowed",
    ],
    ["a header twice", { headers: { "X-A": "a", "x-a": "b" } }, "/headers/x-a duplicate"],
    ["a message id that is none", { headers: { "In-Reply-To": "x" } }, "/headers/In-Reply-To invalid_header"],
    [
      "a way out that is none",
      { headers: { "List-Unsubscribe": "<mailto:u@acme.example>, <javascript:alert(1)>" } },
      "/headers/List-Unsubscribe invalid_header",
    ],
    ["no content", { text: undefined }, " required"],
    ["HTML and MJML", { html: "<p>a</p>", mjml: "<mjml></mjml>" }, "/mjml conflict"],
    ["MJML that is none", { text: undefined, mjml: "<p>" }, /\/mjml/],
    ["a wrong address", { to: ["ada"], cc: ["a b@example.com"] }, "/to/0 invalid_email, /cc/0 invalid_email"],
    ["no recipient", { to: [] }, /\/to/],
    ["11 tags", { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, /\/tags/],
    [
      "21 metadata",
      { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, "v"])) },
      /\/metadata/,
    ],
    ["metadata of a number", { metadata: { a: 1 } }, /\/metadata\/a/],
    ["an unknown field", { template_id: "tpl_1" }, /\/template_id/],
    ["a time that is none", { send_at: "tomorrow" }, /\/send_at/],
    [
      "a path as file name",
      { attachments: [attachment({ filename: "../../etc/passwd" })] },
      /invalid_filename/,
    ],
    [
      "a name that hides its end",
      { attachments: [attachment({ filename: "a\u202Egpj.exe" })] },
      /invalid_filename/,
    ],
    ["an empty file name", { attachments: [attachment({ filename: "" })] }, /\/attachments\/0\/filename/],
    ["a blank file name", { attachments: [attachment({ filename: " " })] }, /invalid_filename/],
    ["a file name of 10,000", { attachments: [attachment({ filename: "a".repeat(10_000) })] }, /\/filename/],
    ["no base64", { attachments: [attachment({ content: "!" })] }, /invalid_base64/],
    [
      "a type with parameters",
      { attachments: [attachment({ content_type: "a/b; c=d" })] },
      /invalid_content_type/,
    ],
    [
      "a type that nests",
      { attachments: [attachment({ content_type: "message/rfc822" })] },
      /invalid_content_type/,
    ],
    ["a content id with a quote", { attachments: [attachment({ content_id: 'a"b' })] }, /invalid_content_id/],
  ];
  for (const [what, mail, faults] of refused) {
    test(`${what} is refused`, async () => {
      const reply = await postEmail(app, mail);
      assert.equal(reply.status, 422, reply.text);
      if (typeof faults === "string") assert.equal(faultsOf(reply), faults);
      else assert.match(faultsOf(reply), faults);
    });
  }

  test("NUL is refused everywhere", async () => {
    for (const mail of [{ subject: "a\0" }, { text: "a\0" }, { html: "\0" }, { metadata: { a: "\0" } }])
      assert.ok([400, 422].includes((await postEmail(app, mail)).status), JSON.stringify(mail));
  });

  test("all faults are named at once", async () => {
    const reply = await postEmail(app, { from: "x", to: ["y"], headers: { Date: "now" }, subject: "a\nb" });
    assert.equal(
      faultsOf(reply),
      "/from invalid_email, /to/0 invalid_email, /subject invalid_character, /headers/Date header_not_allowed",
    );
  });

  test("attachments of 18 MB are taken, and a byte more is not", async () => {
    const whole = Buffer.alloc(18 * 1_024 * 1_024).toString("base64");
    const taken = await postEmail(app, { attachments: [attachment({ content: whole })] });
    assert.equal(taken.status, 202, taken.text);
    const more = await postEmail(app, { attachments: [attachment({ content: whole }), attachment()] });
    assert.equal(faultsOf(more), "/attachments too_large");
    const large = Buffer.alloc(30 * 1_024 * 1_024).toString("base64");
    assert.equal((await postEmail(app, { attachments: [attachment({ content: large })] })).status, 413);
  });
});

describe("a mail with attachments", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());

  test("has them and the picture that its HTML shows, sealed until it has left, and gone after", async () => {
    const accepted = await sendEmail(app, {
      to: ["files@example.com"],
      html: '<p>Hello {{ name }} <img src="cid:logo"></p>',
      text: undefined,
      headers: { "X-Order": "4711", "In-Reply-To": "<a@b.example>" },
      attachments: [
        attachment({ filename: "Grüße.txt", content_type: "text/plain" }),
        attachment({ filename: "logo.png", content: PNG, content_type: "image/png", content_id: "logo" }),
      ],
    });
    assert.deepEqual(accepted["attachments"], [
      { filename: "Grüße.txt", content_type: "text/plain", size: 5 },
      { filename: "logo.png", content_type: "image/png", size: 70 },
    ]);
    await untilStatus(app, accepted["id"], "sent");
    const [raw = ""] = await caughtFor(app, "files@example.com");
    const mail = await PostalMime.parse(raw);
    assert.match(mail.html ?? "", /src="cid:logo@acme\.example"/);
    assert.match(mail.html ?? "", /\{\{ name \}\}/, "there are no placeholders without a template");
    assert.match(mail.text ?? "", /Hello \{\{ name \}\}/);
    assert.match(raw, /^X-Order: 4711\r$/m);
    assert.match(raw, /^In-Reply-To: <a@b\.example>\r$/m);
    assert.deepEqual(
      mail.attachments.map(({ filename, contentId, disposition }) => [filename, contentId, disposition]),
      [
        ["logo.png", "<logo@acme.example>", "inline"],
        ["Grüße.txt", undefined, "attachment"],
      ],
    );
    const { kept } = await app.db.one<{ kept: number }>(
      sql`select count(*) as kept from email_attachments where position('hello'::bytea in content) > 0`,
    );
    assert.equal(kept, 0, "they are sealed");
    await app.db.execute(
      sql`update graphile_worker._private_jobs set run_at = now() where task_id = (
        select id from graphile_worker._private_tasks where identifier = 'drop_attachments')`,
    );
    await until(async () => (await app.db.many(sql`select from email_attachments`)).length === 0);
  });

  test("of MJML becomes HTML with a text", async () => {
    const mjml =
      "<mjml><mj-body><mj-section><mj-column><mj-text>Hi {{ a }}</mj-text></mj-column></mj-section></mj-body></mjml>";
    const { id } = await sendEmail(app, { to: ["mjml@example.com"], text: undefined, mjml });
    await untilStatus(app, id, "sent");
    const mail = await PostalMime.parse((await caughtFor(app, "mjml@example.com"))[0] ?? "");
    assert.match(mail.html ?? "", /<table/);
    assert.match(mail.text ?? "", /Hi \{\{ a \}\}/);
  });
});

describe("a batch of mails", () => {
  let app: TestApp;
  before(async () => {
    app = await createApp();
  });
  after(() => app.stop());
  const batch = (emails: unknown[]) => app.api("POST", "/v1/emails/batch", { body: { emails } });

  test("answers for each in order, and a bad one stops no other", async () => {
    await suppress(app, "gone@example.com", "hard_bounce");
    const reply = await batch([
      { ...MAIL, to: ["first@example.com"] },
      { ...MAIL, to: ["x"] },
      "zebra",
      { ...MAIL, to: ["gone@example.com"] },
      { ...MAIL, to: ["second@example.com"], cc: ["gone@example.com"] },
      { ...MAIL, attachments: [attachment()] },
      { ...MAIL, send_at: "2020-01-01T00:00:00Z" },
    ]);
    assert.equal(reply.status, 200, reply.text);
    const results: Json[] = reply.body.results;
    assert.deepEqual(
      results.map(({ status, error }) => [status, (error as Json | undefined)?.["code"]]),
      [
        [202, undefined],
        [422, "validation_failed"],
        [422, "validation_failed"],
        [422, "recipients_suppressed"],
        [202, undefined],
        [422, "validation_failed"],
        [422, "send_at_in_past"],
      ],
    );
    const emails = results.map(({ email }) => (email ?? {}) as Json);
    assert.deepEqual(emails[4]?.["skipped"], [{ email: "gone@example.com", reason: "hard_bounce" }]);
    for (const nth of [0, 4]) await untilStatus(app, emails[nth]?.["id"], "sent");
    assert.equal((await caughtFor(app, "first@example.com")).length, 1);
    assert.equal((await caughtFor(app, "second@example.com")).length, 1);
  });

  test("may have 100, and not one more", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ ...MAIL, to: [`many${n}@example.com`] }));
    assert.equal((await batch(many(101))).status, 422);
    const { body } = await batch(many(100));
    assert.equal(new Set(body.results.map(({ email }: { email: Json }) => email["id"])).size, 100);
    await until(async () => {
      const page = await app.api("GET", "/v1/emails?status=sent&limit=200");
      return page.body.data.length >= 100;
    });
  });
});
