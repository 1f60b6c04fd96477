import assert from "node:assert/strict";
import { isUtf8 } from "node:buffer";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type Attachment,
  composeMessage,
  type HeaderField,
  type MessageCopy,
  type MessageTemplate,
  UnfitValue,
} from "./mime.ts";

type Message = MessageTemplate & MessageCopy;

const plain: Message = {
  from: { address: "ada@example.org" },
  to: [{ address: "bob@example.org" }],
  subject: "Hello",
  text: "Hello\n",
  boundary: "seed",
  date: new Date(Date.UTC(2026, 0, 2, 3, 4, 5)),
  messageId: "1@example.org",
  values: [],
};

function headOf(changes: Partial<Message>): string {
  const message = composeMessage({ ...plain, ...changes }).toString();
  return message.slice(0, message.indexOf("\r\n\r\n"));
}

function fieldOf(name: string, changes: Partial<Message>): string {
  const fields = headOf(changes).split(/\r\n(?! )/);
  return fields.find((field) => field.startsWith(`${name}:`)) ?? "";
}

test("headers stand in the order that is documented", () => {
  const head = headOf({
    replyTo: [{ address: "carol@example.org" }],
    headers: [
      { kind: "token", name: "X-Second", value: "b" },
      { kind: "token", name: "X-First", value: "a" },
    ],
  });
  assert.equal(
    head,
    [
      "Date: Fri, 02 Jan 2026 03:04:05 +0000",
      "From: ada@example.org",
      "To: bob@example.org",
      "Reply-To: carol@example.org",
      "Subject: Hello",
      "Message-ID: <1@example.org>",
      "X-Second: b",
      "X-First: a",
      "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8",
      "Content-Transfer-Encoding: 7bit",
    ].join("\r\n"),
  );
});

describe("text", () => {
  const cases: readonly [what: string, subject: string, field: string][] = [
    ["stays as it is in ASCII", "50% off: a=b?", "Subject: 50% off: a=b?"],
    ["becomes Q where that is shorter", "Bien à vous", "Subject: =?UTF-8?Q?Bien_=C3=A0_vous?="],
    ["becomes B where that is shorter", "日本", "Subject: =?UTF-8?B?5pel5pys?="],
    ["that looks encoded is encoded", "=?utf-8?Q?a?=", "Subject: =?UTF-8?Q?=3D=3Futf-8=3FQ=3Fa=3F=3D?="],
    ["loses its control characters", " a\r\nBcc: b\u0000\u0085c\t", "Subject: a Bcc: b c"],
    ["mends half a character", "a\ud800", "Subject: =?UTF-8?B?Ye+/vQ==?="],
    ["may be empty", " \r\n ", "Subject:"],
    [
      "is folded at blanks, and keeps them",
      `${"word ".repeat(14)}  end`,
      `Subject: ${"word ".repeat(13)}\r\n word   end`.replace(" \r\n", "\r\n"),
    ],
    [
      "without a place to fold is encoded",
      "W".repeat(80),
      `Subject: =?UTF-8?Q?${"W".repeat(55)}?=\r\n =?UTF-8?Q?${"W".repeat(25)}?=`,
    ],
  ];
  for (const [what, subject, field] of cases) {
    test(what, () => assert.equal(fieldOf("Subject", { subject }), field));
  }

  test("never splits a character between encoded words", () =>
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 30, maxLength: 200 }), (subject) => {
        for (const [, encoding, word = ""] of fieldOf("Subject", { subject }).matchAll(
          /=\?UTF-8\?(.)\?(.*?)\?=/g,
        )) {
          const text = encoding === "B" ? Buffer.from(word, "base64") : unquote(word);
          assert.ok(isUtf8(text));
        }
      }),
      { numRuns: 50 },
    ));
});

function unquote(word: string): Buffer {
  const octets = word.replace(/=(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(octets, "latin1");
}

describe("a mailbox", () => {
  const cases: readonly [what: string, name: string, address: string, field: string][] = [
    ["has a bare name of atoms", "Ada Lovelace", "a@b.example", "To: Ada Lovelace <a@b.example>"],
    ["has a quoted name", 'J. "Jo" B\\', "a@b.example", 'To: "J. \\"Jo\\" B\\\\" <a@b.example>'],
    ["keeps two blanks", "A  B", "a@b.example", 'To: "A  B" <a@b.example>'],
    ["has an encoded name", "Zoë, Q", "a@b.example", "To: =?UTF-8?B?Wm/DqywgUQ==?= <a@b.example>"],
    ["has no name", "\r\n", "a@b.example", "To: a@b.example"],
    ["has A-labels behind ASCII", "", "Ada@MÜLLER.example", "To: Ada@xn--mller-kva.example"],
    ["stays in UTF-8 where it must", "", "jürgen@müller.example", "To: jürgen@müller.example"],
  ];
  for (const [what, name, address, field] of cases) {
    test(what, () => assert.equal(fieldOf("To", { to: [{ name, address }] }), field));
  }

  test("is folded between addresses", () => {
    const to = Array.from({ length: 4 }, (_, index) => ({ address: `subscriber${index}@lists.example.org` }));
    const line = (from: number) => `${to[from]?.address}, ${to[from + 1]?.address}`;
    assert.equal(fieldOf("To", { to }), `To: ${line(0)},\r\n ${line(2)}`);
  });
});

const grammars: readonly [field: HeaderField, line: string][] = [
  [{ kind: "message_ids", name: "References", value: ["a@b", "c@[d]"] }, "References: <a@b> <c@[d]>"],
  [{ kind: "date", name: "X-Date", value: new Date(0) }, "X-Date: Thu, 01 Jan 1970 00:00:00 +0000"],
  [
    { kind: "urls", name: "List-Unsubscribe", value: ["https://x.example/?a=1,2#b", "mailto:u@x.example"] },
    "List-Unsubscribe: <https://x.example/?a=1,2#b>, <mailto:u@x.example>",
  ],
  [
    { kind: "list_id", name: "List-ID", value: { name: "News of Ada.", id: "news.example.org" } },
    'List-ID: "News of Ada." <news.example.org>',
  ],
  [
    { kind: "token", name: "List-Unsubscribe-Post", value: "List-Unsubscribe=One-Click" },
    "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  ],
  [
    { kind: "mailboxes", name: "Cc", value: [{ name: [{ slot: 0 }], address: ["a@", { slot: 1 }] }] },
    "Cc: Ada <a@b.example>",
  ],
];
for (const [field, line] of grammars) {
  test(`a header of the kind ${field.kind}`, () => {
    assert.equal(fieldOf(field.name, { headers: [field], values: ["Ada", "b.example"] }), line);
  });
}

const hostile = [
  "\r\nBcc: eve@example.org",
  "\nBcc: eve@example.org",
  "\rBcc: eve@example.org",
  "\r\n\r\n<p>body",
  "\r\n folded",
  "\u0000",
  "\u0007",
  "\u001b[2J",
  "\u007f",
  "\u0085Bcc: eve@example.org",
  "\u2028Bcc: eve@example.org",
  "\ud800",
  " ",
  ">, <https://eve.example",
];
/** Makes a message with something hostile in each typed value. */
const structural: Readonly<Record<string, (bad: string) => Partial<Message>>> = {
  "from address": (bad) => ({ from: { address: `ada@example.org${bad}x` } }),
  "to address": (bad) => ({ to: [{ address: `a${bad}da@example.org` }] }),
  "reply-to address": (bad) => ({
    replyTo: [{ address: ["ada@", { slot: 0 }] }],
    values: [`example.org${bad}x`],
  }),
  "message id": (bad) => ({ messageId: `1${bad}@example.org` }),
  references: (bad) => ({ headers: [{ kind: "message_ids", name: "References", value: [`a@b${bad}`] }] }),
  url: (bad) => ({
    headers: [{ kind: "urls", name: "List-Unsubscribe", value: [["https://x.example/", { slot: 0 }]] }],
    values: [`a${bad}b`],
  }),
  "list id": (bad) => ({ headers: [{ kind: "list_id", name: "List-ID", value: { id: `a${bad}b` } }] }),
  token: (bad) => ({
    headers: [{ kind: "token", name: "Precedence", value: [{ slot: 0 }] }],
    values: [`bulk${bad}x`],
  }),
  "cc address": (bad) => ({
    headers: [{ kind: "mailboxes", name: "Cc", value: [{ address: `ada@example.org${bad}x` }] }],
  }),
  "header name": (bad) => ({ headers: [{ kind: "text", name: `X-A${bad}`, value: "b" }] }),
  boundary: (bad) => ({ boundary: `seed${bad}` }),
  "content type": (bad) => ({ attachments: [attachment({ contentType: `text/csv${bad}` })] }),
  "parameter name": (bad) => ({ attachments: [attachment({ parameters: { [`char${bad}set`]: "utf-8" } })] }),
  "content id": (bad) => ({
    html: "",
    inlineImages: [{ contentType: "image/png", content: Buffer.of(), contentId: `a@b${bad}` }],
  }),
};
const readable: Readonly<Record<string, (bad: string) => Partial<Message>>> = {
  subject: (bad) => ({ subject: ["a", { slot: 0 }, "b"], values: [bad] }),
  "from name": (bad) => ({ from: { name: `a${bad}b`, address: "ada@example.org" } }),
  "to name": (bad) => ({ to: [{ name: `a${bad}b`, address: "ada@example.org" }] }),
  text: (bad) => ({ headers: [{ kind: "text", name: "X-Text", value: `a${bad}b` }] }),
  "list name": (bad) => ({
    headers: [{ kind: "list_id", name: "List-ID", value: { name: `a${bad}b`, id: "a.example" } }],
  }),
  filename: (bad) => ({ attachments: [attachment({ filename: `a${bad}b` })] }),
  "parameter value": (bad) => ({ attachments: [attachment({ parameters: { method: `a${bad}b` } })] }),
};

function attachment(changes: Partial<Attachment>): Attachment {
  return { filename: "a.csv", contentType: "text/csv", content: Buffer.from("a"), ...changes };
}

describe("nothing that is hostile gets into a header", () => {
  for (const [what, change] of Object.entries(structural)) {
    test(`${what}: it is refused`, () => {
      assert.ok(composeMessage({ ...plain, ...change("") }).length > 0);
      for (const bad of hostile) {
        assert.throws(() => composeMessage({ ...plain, ...change(bad) }), UnfitValue, JSON.stringify(bad));
      }
    });
  }
  for (const [what, change] of Object.entries(readable)) {
    test(`${what}: it is cleaned`, () => {
      const lines = (bad: string) =>
        composeMessage({ ...plain, ...change(bad) })
          .toString("latin1")
          .split("\r\n");
      // But for folds, the lines begin as those of the harmless message do.
      const shape = (bad: string) =>
        lines(bad).flatMap((line) => (line.startsWith(" ") ? [] : [line.slice(0, 3)]));
      for (const bad of hostile) {
        assert.deepEqual(shape(bad), shape(""), JSON.stringify(bad));
        for (const line of lines(bad)) assert.match(line, /^[\t -~]*$/);
      }
    });
  }
});

test("each message has its own date, also within a second of another's", () => {
  const times = [0, 999, 1_000, 500, -1, 86_400_000, 86_400_999, 0].map((time) => new Date(time));
  assert.deepEqual(
    times.map((date) => fieldOf("Date", { date }).slice(-20)),
    [
      "1970 00:00:00 +0000",
      "1970 00:00:00 +0000",
      "1970 00:00:01 +0000",
      "1970 00:00:00 +0000",
      "1969 23:59:59 +0000",
      "1970 00:00:00 +0000",
      "1970 00:00:00 +0000",
      "1970 00:00:00 +0000",
    ].map((end) => ` ${end}`),
  );
  assert.equal(fieldOf("Date", { date: new Date(86_400_000) }), "Date: Fri, 02 Jan 1970 00:00:00 +0000");
  const late = new Date(253_402_300_800_000);
  for (let again = 0; again < 2; again++) assert.throws(() => headOf({ date: late }), UnfitValue);
});

describe("a header is refused", () => {
  const cases: readonly [what: string, changes: Partial<Message>][] = [
    ["without a date", { date: new Date(Number.NaN) }],
    ["without a recipient", { to: [] }],
    ["when it is one that the template has a place for", { headers: [text("subject")] }],
    ["when it is a MIME header", { headers: [text("Content-Type")] }],
    ["when it would tell hidden recipients", { headers: [text("Bcc")] }],
    ["when it is given twice", { headers: [text("X-A"), text("x-a")] }],
    ["when text stands where there is a grammar", { headers: [text("List-Unsubscribe")] }],
    ["when its URL is relative", { headers: [{ kind: "urls", name: "List-Help", value: ["/help"] }] }],
    ["when it has no URL", { headers: [{ kind: "urls", name: "List-Help", value: [] }] }],
    ["when it has no message id", { headers: [{ kind: "message_ids", name: "References", value: [] }] }],
    [
      "when its URL can't be folded and is too long",
      { headers: [{ kind: "urls", name: "List-Help", value: [`https://x.example/${"a".repeat(900)}`] }] },
    ],
  ];
  for (const [what, changes] of cases) {
    test(what, () => assert.throws(() => composeMessage({ ...plain, ...changes }), UnfitValue));
  }
});

function text(name: string): HeaderField {
  return { kind: "text", name, value: "a" };
}
