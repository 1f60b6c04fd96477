import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { publicKeyRecord, signMessage } from "./dkim.ts";
import { makeKey, type PickBelow, randomMessage } from "./messages.fixture.ts";

const rsa = makeKey({ rsaBits: 2048 }, "r");
const ed25519 = makeKey("ed25519", "e");
const keys = [rsa, ed25519];
const now = new Date("2026-03-01T12:00:00.900Z");

async function sign(message: Buffer | string, signing = keys): Promise<Buffer> {
  const signed = await signMessage(Buffer.from(message), signing, { now });
  assert.ok(signed.ok, `not signed: ${signed.ok || signed.reason}`);
  return signed.fields;
}

/** Returns what mailauth, at its strictest, says of each signature. */
async function verify(...parts: (Buffer | string)[]): Promise<string[]> {
  const message = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const resolver = async (name: string) => {
    const key = keys.find(({ domain, selector }) => name === `${selector}._domainkey.${domain}`);
    return key ? [[publicKeyRecord(key)]] : [];
  };
  const { results } = await dkimVerify(message, { resolver, strict: true, curTime: now });
  return results.map(({ status }) => status.result);
}

const passed = ["pass", "pass"];
const head = [
  "From: Ada <ada@example.org>",
  "To: bob@example.net",
  "Subject: Hello",
  "Date: Sun, 01 Mar 2026 12:00:00 +0000",
  "Message-ID: <1@example.org>",
  "MIME-Version: 1.0",
  "Content-Type: text/plain; charset=utf-8",
  "List-Unsubscribe: <https://example.org/u/1>",
  "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
  "X-Mailer: Postrider",
].join("\r\n");
const plain = `${head}\r\n\r\nHello Bob,\r\n\r\nAda\r\n`;

const signedNames = [
  ...["From", "Sender", "Reply-To", "To", "Cc", "Subject", "Date", "Message-ID", "In-Reply-To", "References"],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding", "List-Id", "List-Unsubscribe"],
  ...["List-Unsubscribe-Post", "Feedback-ID"],
];

function tagsOf(fields: Buffer): Map<string, string>[] {
  return fields
    .toString("latin1")
    .split(/\r\n(?=\S|$)/)
    .filter((field) => field !== "")
    .map((field) => {
      const tags = field.replace(/^DKIM-Signature:/, "").replaceAll(/\s/g, "");
      return new Map(tags.split(";").map((tag) => [tag.replace(/=.*/, ""), tag.replace(/^[^=]*=/, "")]));
    });
}

describe("a signed message verifies", () => {
  const message = fc.gen().map((gen) => randomMessage(pickWith(gen)));

  test("whatever its fields, folds, blanks, scripts and empty lines", async () => {
    await fc.assert(
      fc.asyncProperty(message, async (given) => {
        assert.deepEqual(await verify(await sign(given), given), passed);
      }),
      { numRuns: 150 },
    );
  });

  const changes: readonly [what: string, change: (text: string) => string][] = [
    ["with a final line break, as SMTP adds it", (text) => `${text}\r\n`],
    ["with empty lines at its end", (text) => `${text}\r\n\r\n \t\r\n\r\n`],
    ["refolded", (text) => text.replace("Subject: Hello", "SUBJECT:\r\n \t Hello\t")],
    ["with other blanks between the words", (text) => text.replace("Hello Bob,", "Hello \t Bob, ")],
    [
      "with the traces of its way",
      (text) => `Received: from a by b\r\nReturn-Path: <x@y.example>\r\n${text}`,
    ],
    [
      "with its fields in another order",
      (text) => `${text.slice(29, 50)}${text.slice(0, 29)}${text.slice(50)}`,
    ],
  ];
  for (const [what, change] of changes) {
    test(`${what} on the way`, async () => {
      const changed = change(plain);
      assert.notEqual(changed, plain);
      assert.deepEqual(await verify(await sign(plain), changed), passed);
    });
  }

  test("without a body", async () => {
    const bare = `${head}\r\n\r\n`;
    const fields = await sign(bare);
    assert.equal(tagsOf(fields)[0]?.get("bh"), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    assert.deepEqual(await verify(fields, bare), passed);
  });

  test("with a field of a megabyte, nearly all of it blanks", async () => {
    const huge = `Subject: a${" ".repeat(500_000)}b${"\r\n\t c".repeat(1_000)}${"d".repeat(500_000)}\r\n${plain}`;
    assert.deepEqual(await verify(await sign(huge), huge), passed);
  });

  test("with 3,000 fields, half of them signed", async () => {
    const many = `${"References: <a@example.org>\r\nX-Other: b\r\n".repeat(1_500)}${plain}`;
    assert.deepEqual(await verify(await sign(many), many), passed);
  });

  test("with a body of ten megabytes", async () => {
    const large = Buffer.concat([Buffer.from(plain), Buffer.alloc(10_000_000, "text \t with blanks \r\n")]);
    assert.deepEqual(await verify(await sign(large), large), passed);
  });
});

describe("a signed message fails", () => {
  test("when any of what is signed is another byte", async () => {
    const visible = [...plain.matchAll(/[^\s:]/g)].map(({ index }) => index);
    const unsigned = plain.indexOf("X-Mailer");
    const signedPlaces = visible.filter((index) => index < unsigned || index > unsigned + 19);
    const fields = await sign(plain);
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...signedPlaces), async (place) => {
        const changed = Buffer.from(plain);
        changed[place] = plain[place] === "~" ? 0x21 : 0x7e;
        const results = await verify(fields, changed);
        assert.ok(!results.includes("pass"), `${place}: ${results}`);
      }),
      { numRuns: 150 },
    );
  });

  for (const name of signedNames) {
    test(`when a ${name} is added above or below`, async () => {
      const fields = await sign(plain);
      const added = `${name}: <mallory@example.com>`;
      for (const changed of [`${added}\r\n${plain}`, plain.replace("\r\n\r\n", `\r\n${added}\r\n\r\n`)]) {
        const results = await verify(fields, changed);
        assert.equal(results.length, 2);
        assert.ok(!results.includes("pass"), `${results}`);
      }
    });
  }

  test("when one of two equal fields is taken away, or they change places", async () => {
    const twice = `Reply-To: a@example.org\r\nReply-To: b@example.org\r\n${plain}`;
    const fields = await sign(twice);
    assert.deepEqual(await verify(fields, twice), passed);
    const swapped = `Reply-To: b@example.org\r\nReply-To: a@example.org\r\n${plain}`;
    for (const changed of [swapped, `Reply-To: a@example.org\r\n${plain}`]) {
      const results = await verify(fields, changed);
      assert.ok(!results.includes("pass"), `${results}`);
    }
  });

  test("when something is written below its text", async () => {
    const results = await verify(await sign(plain), `${plain}More\r\n`);
    assert.deepEqual(results.includes("pass"), false);
  });
});

describe("the field", () => {
  test("names each signed field as often as it is there and once more, and has no l=", async () => {
    const [tags] = tagsOf(await sign(`Reply-To: a@example.org\r\nREPLY-TO: b@example.org\r\n${plain}`));
    const occurring = new Map(plain.split("\r\n").map((line) => [line.replace(/:.*/, ""), 1]));
    occurring.set("Reply-To", 2);
    const expected = signedNames.flatMap((name) => Array((occurring.get(name) ?? 0) + 1).fill(name));
    assert.equal(tags?.get("h"), expected.join(":").toLowerCase());
    assert.deepEqual([...(tags?.keys() ?? [])], ["v", "a", "c", "d", "s", "i", "t", "bh", "h", "b"]);
  });

  test("carries the clock's time and, where one is given, the end", async () => {
    const [without] = tagsOf(await sign(plain, [ed25519]));
    assert.deepEqual([without?.get("t"), without?.get("x")], ["1772366400", undefined]);
    const signed = await signMessage(Buffer.from(plain), [ed25519], {
      now,
      expiresAt: new Date("2026-03-08T12:00:00Z"),
    });
    const [tags] = tagsOf(signed.ok ? signed.fields : Buffer.alloc(0));
    assert.deepEqual([tags?.get("t"), tags?.get("x")], ["1772366400", "1772971200"]);
  });

  test("is one for each key, in their order, of short lines in ASCII", async () => {
    const fields = await sign(plain);
    const text = fields.toString("latin1");
    assert.deepEqual(
      tagsOf(fields).map((tags) => [tags.get("a"), tags.get("s"), tags.get("d"), tags.get("i")]),
      [
        ["rsa-sha256", "r", "example.org", "@example.org"],
        ["ed25519-sha256", "e", "example.org", "@example.org"],
      ],
    );
    assert.match(text, /^(?:DKIM-Signature: [!-~ ]{1,60}\r\n(?: [!-~ ]{1,77}\r\n)+){2}$/);
    assert.deepEqual(await sign(plain, []), Buffer.alloc(0));
  });

  test("has the body hash that RFC 8463 appendix A gives for its message", async () => {
    const body = "Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n";
    const [tags] = tagsOf(await sign(`${head}\r\n\r\n${body}`, [ed25519]));
    assert.equal(tags?.get("bh"), "2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=");
  });
});

describe("a message isn't signed", () => {
  const from = "From: ada@example.org\r\n";
  const cases: readonly [message: string, reason: string][] = [
    ["", "no_separator"],
    [from, "no_separator"],
    [`${from}Subj`, "no_separator"],
    [`${from}Subject: a\r\n`, "no_separator"],
    [plain.replaceAll("\r\n", "\n"), "bare_line_break"],
    [plain.replaceAll("\r\n", "\r"), "bare_line_break"],
    [`${from}Subject: a\nBcc: b@example.org\r\n\r\n`, "bare_line_break"],
    [`${from}Subject: a\rb\r\n\r\n`, "bare_line_break"],
    [`${from}\r\nbody\n.\r\n`, "bare_line_break"],
    [`${from}\r\n  body\rb\r\n`, "bare_line_break"],
    [`${from}\r\n  body\r`, "bare_line_break"],
    [`${from}Subject: a\0b\r\n\r\n`, "control_character"],
    [`${from}Subject: a\f\r\n\r\n`, "control_character"],
    ["\r\n\r\nbody", "malformed_field"],
    [`\r\n${plain}`, "malformed_field"],
    [` folded\r\n${plain}`, "malformed_field"],
    [`From ada@example.org Sun Mar  1\r\n${plain}`, "malformed_field"],
    [`${from}No colon here\r\n\r\na: b`, "malformed_field"],
    [`${from}Subject : a\r\n\r\n`, "malformed_field"],
    [`${from}: a\r\n\r\n`, "malformed_field"],
    [`${from}Sübject: a\r\n\r\n`, "malformed_field"],
    ["Subject: a\r\n\r\nFrom: ada@example.org\r\n", "no_from"],
    [`${from}fROM: eve@example.org\r\n\r\n`, "several_from"],
  ];
  for (const [message, reason] of cases) {
    test(`${JSON.stringify(message.slice(0, 50))}: ${reason}`, async () => {
      const signed = await signMessage(Buffer.from(message), keys, { now });
      assert.equal(signed.ok ? "signed" : signed.reason, reason);
    });
  }

  test("at a time that is none, or to expire before it", async () => {
    const message = Buffer.from(plain);
    await assert.rejects(signMessage(message, keys, { now: new Date(Number.NaN) }), RangeError);
    await assert.rejects(signMessage(message, keys, { now, expiresAt: now }), RangeError);
  });
});

function pickWith(gen: fc.GeneratorValue): PickBelow {
  return (below) => gen(fc.nat, { max: below - 1 });
}
