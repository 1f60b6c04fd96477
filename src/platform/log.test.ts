import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createLog, type LogLevel, scrub, scrubLine } from "./log.ts";

const KEY = "pr_3xAmpLe0123456789abcdefghijABCDEFGHIJ0123456789abcdefgh";
const WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/x+y=";

const ADDRESSES = [
  "someone@example.com",
  "First.Last+tag@mail.example.co.uk",
  "o'brien@example.ie",
  "a/b=c&d?e!f#g$h%i*j^k`l{m|n}o~p@example.com",
  '"john doe"@example.com',
  "bounce+someone=example.com@mail.example",
  "someone@[192.168.0.1]",
  "用户@例子.广告",
  "δοκιμή@παράδειγμα.δοκιμή",
  "чебурашка@ящик-с-апельсинами.рф",
  "संपर्क@डाटामेल.भारत",
  "جيميل@مثال.موقع",
  "üser@xn--bcher-kva.example",
  "someone＠example.com",
  "someone%40example.com",
  "someone%2540example.com",
  "a@b@c.example",
];

const parts = (address: string) =>
  address.split(/[@＠]|%(?:25)?40/).filter((part) => part.length > 2 && !part.startsWith("["));

describe("scrubbing", () => {
  for (const address of ADDRESSES) {
    it(`hides ${address} in a sentence`, () => {
      const text = scrub(`could not write to ${address}, because`);
      assert.equal(text, "could not write to [address], because");
    });

    it(`hides both sides of ${address} wherever it stands`, () => {
      for (const [before, after] of [
        ["<", ">"],
        ["Key (email)=(", ") already exists."],
        ["https://mail.example/u?email=", "&x=1"],
        ["line 1\n", "\nline 3"],
        ["\t", "\u0000"],
        ["mailto:", ""],
        ["[", "]"],
      ] as const) {
        const text = scrub(before + address + after);
        for (const part of parts(address)) assert.ok(!text.includes(part), `${part} in ${text}`);
      }
    });
  }

  const stripeKeys = ["sk_live_", "sk_test_", "rk_live_", "rk_test_"].map((kind) => `${kind}51Abc0123456789`);
  for (const secret of [KEY, WEBHOOK_SECRET, KEY.slice(0, 20), ...stripeKeys]) {
    it(`hides ${secret}`, () => {
      for (const [before, after] of [
        ["", ""],
        ["Bearer ", " x"],
        ["?key=", "&x"],
        ["req_", ""],
        ['{"a":"', '"}'],
      ] as const) {
        const text = scrub(before + secret + after);
        assert.equal(text, `${before}[key]${after}`);
      }
    });
  }

  it("hides a whole key that is glued to a word", () => {
    assert.equal(scrub(`x${KEY}`), "x[key]");
  });

  it("hides the password in a URL and leaves the rest for the operator", () => {
    const told = scrub("cannot reach postgres://someone:hun%40ter2@db.example:5432/mail now");
    assert.equal(told, "cannot reach postgres://someone:[secret]@db.example:5432/mail now");
    assert.doesNotMatch(scrub("smtps://user:p@ss@host:465"), /p@ss|ss@/);
  });

  it("leaves a stack trace readable", () => {
    const frame = "at run (file:///app/node_modules/@fastify/ajv-compiler/index.js:12:34)";
    assert.equal(scrub(frame), frame);
  });

  it("leaves ids, routes and times alone", () => {
    const text = "key_01k9zq4t3xe8k8y0v6d3m2n1pq GET /v1/api_keys/:id 2026-11-14T09:30:00.000Z p_x pr_x";
    assert.equal(scrub(text), text);
  });

  it("takes no longer than the text's length asks for", () => {
    // The processor's time is measured, since a busy machine lets the clock run on.
    const before = process.cpuUsage();
    for (const long of ["a", "a.", "a@", "/@", "x://a:", 'a"', "pr_", "%40", "a%", ":"]) {
      scrub(`@${long.repeat(200_000 / long.length)}`);
    }
    assert.ok(process.cpuUsage(before).user < 1_500_000);
  });

  it("keeps a line valid JSON, whatever is in it", () => {
    const piece = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...ADDRESSES, KEY, "\n", "\t", "\\", '"', "\u0000", "\u2028", "://", ":", "@", "pr_"),
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(
        fc.dictionary(text, fc.oneof(text, fc.array(text), fc.record({ inner: text }))),
        (logged) => {
          const line = scrubLine(`${JSON.stringify(logged)}\n`);
          assert.ok(line.endsWith("}\n") && !line.slice(0, -1).includes("\n"));
          JSON.parse(line);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe("the log", () => {
  function logged(
    level: LogLevel,
    pretty: boolean,
    write: (log: ReturnType<typeof createLog>) => void,
  ): string {
    const lines: string[] = [];
    write(createLog({ level, pretty, destination: { write: (line) => void lines.push(line) } }));
    return lines.join("");
  }
  const error = Object.assign(new Error("bad row:\nsomeone@example.com"), { detail: `Key (k)=(${KEY})` });

  for (const pretty of [false, true]) {
    it(`shows no address or key of an error, a field, a name or a message, ${pretty ? "pretty" : "as JSON"}`, () => {
      const text = logged("info", pretty, (log) =>
        log.error(
          { err: error, "someone@example.com": [KEY], to: "someone@example.com" },
          "to\nsomeone@example.com",
        ),
      );
      assert.doesNotMatch(text, /someone|example\.com|3xAmpLe/);
      assert.match(text, /bad row/);
    });
  }

  it("is one JSON object a line, with a level in words and a time in UTC", () => {
    const text = logged("info", false, (log) => {
      log.info({ to: "x\n\u0000someone@example.com" }, "first");
      log.debug("not this one");
      log.warn("second");
    });
    const lines = text.trimEnd().split("\n");
    assert.equal(lines.length, 2);
    const [first, second] = lines.map((line) => JSON.parse(line));
    assert.deepEqual([first.level, first.message, first.to], ["info", "first", "x\n[address]"]);
    assert.equal(second.level, "warn");
    assert.match(first.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });
});
