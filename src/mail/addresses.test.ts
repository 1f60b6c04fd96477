import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  type AddressFaultReason,
  addressFaults,
  isEai as isEaiAddress,
  type ParsedAddress,
  parseAddress,
} from "./addresses.ts";

const page = readFileSync(new URL("../../docs/addresses.md", import.meta.url), "utf8");

/** Finds the rows of the page's tables that begin with an address in code, and takes the address and the second cell. */
const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \|/gm)].map(
  ([, given = "", cell = ""]) => [fromEscapes(given), cell.replaceAll("`", "").trim()] as const,
);

function fromEscapes(text: string): string {
  return text.replaceAll(/\\u\{([\dA-F]+)\}/g, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  );
}

function accept(text: string): ParsedAddress {
  const parsed = parseAddress(text);
  assert.ok(parsed.ok, `${JSON.stringify(text)} is refused: ${parsed.ok || parsed.detail}`);
  return parsed;
}

describe("docs/addresses.md tells the truth", () => {
  for (const [given, answer] of rows) {
    test(`${JSON.stringify(given)}: ${answer}`, () => {
      const parsed = parseAddress(given);
      if (answer.includes("@")) return assert.equal(parsed.ok && parsed.key, answer);
      assert.equal(parsed.ok ? "accepted" : parsed.reason, answer);
    });
  }

  test("and names every reason for a refusal", () => {
    const named = new Set(rows.map(([, answer]) => answer));
    assert.deepEqual(
      Object.keys(addressFaults).filter((reason) => !named.has(reason)),
      [],
    );
  });
});

describe("real addresses of several scripts are taken", () => {
  const cases: readonly [given: string, asciiDomain: string, isEai: boolean][] = [
    ["x@y.museum", "y.museum", false],
    ["_@example.net", "example.net", false],
    ["1234567890@example.net", "example.net", false],
    ["bounce+ada=example.org@lists.example.net", "lists.example.net", false],
    ["a/b=c!d%e@x400.example", "x400.example", false],
    ["-dash-@r3---sn-x.example.net", "r3---sn-x.example.net", false],
    ["xn--local@example.net", "example.net", false],
    ["ada@123.example", "123.example", false],
    ["ada@1e3.4u", "1e3.4u", false],
    ["ada@example.c", "example.c", false],
    ["ada@XN--MGBA3A4F16A.XN--MGBA3A4F16A", "xn--mgba3a4f16a.xn--mgba3a4f16a", false],
    ["jürgen@müller.example", "xn--mller-kva.example", true],
    ["søren@blåbærgrød.example", "xn--blbrgrd-fxak7p.example", true],
    ["αλέξανδρος@παράδειγμα.ελ", "xn--hxajbheg2az3al.xn--qxam", true],
    ["ольга@почта.рф", "xn--80a1acny.xn--p1ai", true],
    ["שרה@דואר.example", "xn--4dbfg1f.example", true],
    ["فاطمة@بريد.example", "xn--ngbof4h.example", true],
    ["山田１@日本語。ＪＰ", "xn--wgv71a119e.jp", true],
    ["김민수@한국.kr", "xn--3e0b707e.kr", true],
    ["สมชาย@ไทย.ไทย", "xn--o3cw4h.xn--o3cw4h", true],
    ["ශ්\u200Dරී@example.lk", "example.lk", true],
    ["🐎@example.net", "example.net", true],
    ["ada@☕.example", "xn--53h.example", false],
  ];
  for (const [given, asciiDomain, isEai] of cases) {
    test(given, () => {
      const { address, local, domain, ...rest } = accept(given);
      assert.equal(address, given);
      assert.equal(`${local}@${domain}`, given);
      assert.deepEqual([rest.asciiDomain, rest.isEai], [asciiDomain, isEai]);
      assert.equal(isEaiAddress(given), isEai);
    });
  }
});

describe("what isn't one plain address is refused", () => {
  const cases: readonly [given: string, reason: AddressFaultReason][] = [
    ["", "empty"],
    ["@", "no_local_part"],
    ["ada", "no_at"],
    ["ada@@example.org", "several_at"],
    ["ada﹫example.org", "look_alike"],
    ["ada＠home@example.org", "look_alike"],
    ["jean–luc@example.fr", "look_alike"],
    ["ada.@example.org", "local_part_dots"],
    ["ada:lovelace@example.org", "local_part_character"],
    ["ada[1]@example.org", "local_part_character"],
    ["ada@.example.org", "domain_dots"],
    ["ada@.", "domain_dots"],
    ["ada@bücher.", "domain_dots"],
    ["ada@bücher。。example", "domain_dots"],
    ["ada@example-.org", "domain_hyphen"],
    ["ada@-bücher.example", "domain_hyphen"],
    ["ada@bücher-.example", "domain_hyphen"],
    ["ada@xn----eha.example", "domain_hyphen"],
    ["ada@bücher_.example", "domain_character"],
    ["ada@bücher＿.example", "domain_character"],
    ["ada@xn--_-dha.example", "domain_character"],
    ["ada@example.org:25", "domain_character"],
    ["ada@example.org?subject=hi", "domain_character"],
    ["ada@bücher%2eexample", "domain_character"],
    ["ada@bücher／x.example", "not_idna"],
    ["ada@xn--.example", "not_idna"],
    ["ada@xn--abc-.example", "not_idna"],
    ["ada@xn--bücher-kva.example", "not_idna"],
    ["ada@a\u{E000}.example", "not_idna"],
    ["ada@bücher\u200B.example", "invisible_character"],
    ["ada@a\u200Db.example", "not_idna"],
    ["a\u{E000}@example.org", "invisible_character"],
    ["a\u0378@example.org", "invisible_character"],
    ["a\uFFFE@example.org", "invisible_character"],
    ["\u3164@example.org", "invisible_character"],
    ["👩\u200D🚀@example.org", "invisible_character"],
    ["a\u2028@example.org", "control_character"],
    ["a\u0085@example.org", "control_character"],
    ["\tada@example.org\r", "control_character"],
    ["ada\u00A0@example.org", "white_space"],
    ["ada@example.org; bob@example.org", "several_addresses"],
    ["ada@127.1", "numeric_top_level_domain"],
    ["ada@2130706433", "single_label_domain"],
    ["ada@bücher", "single_label_domain"],
    ["ada@中国", "single_label_domain"],
    [`ada@${"ü".repeat(59)}.example`, "label_too_long"],
    [`${"Ⱥ".repeat(32)}@example.org`, "local_part_too_long"],
    [`ada@${`${"ü".repeat(50)}.`.repeat(4)}example`, "too_long"],
    [`ada@${"ü.".repeat(40)}example`, "too_long"],
  ];
  for (const [given, reason] of cases) {
    test(`${JSON.stringify(given.slice(0, 60))}: ${reason}`, () => {
      const parsed = parseAddress(given);
      assert.equal(parsed.ok ? "accepted" : parsed.reason, reason);
    });
  }
});

test("a refusal names the character that is to blame, and no more of the address", () => {
  const parsed = parseAddress("ada.lovelace\u200B@example.org");
  assert.deepEqual(parsed, {
    ok: false,
    code: "invalid_email",
    reason: "invisible_character",
    detail: `${addressFaults.invisible_character} The character is U+200B.`,
  });
});

test("64 octets before the @ and 254 in all are taken, one more is refused", () => {
  const label = "a".repeat(61);
  const most = `${"a".repeat(64)}@${label}.${label}.${label}.net`;
  assert.equal(accept(most).address.length, 254);
  assert.equal(parseAddress(`a${most}`).ok, false);
  assert.equal(parseAddress(most.replace("@", "@b.")).ok, false);
});

test("decomposed letters are composed, whatever they come from", () => {
  assert.equal(accept("ju\u0308rgen@mu\u0308ller.example").address, "jürgen@müller.example");
  assert.equal(accept("\u1112\u1161\u11AB@example.kr").address, "한@example.kr");
  assert.equal(accept("\u212Aelvin@example.org").key, "kelvin@example.org");
});

test("a megabyte of anything is answered at once", () => {
  const million = 1_000_000;
  const texts = ["a", " ", "\u3000", "@", "a.", "a@", "é", "\uD800", "e\u0301", '"', "a@a-", "\r\n"].flatMap(
    (unit) => {
      const long = unit.repeat(million / unit.length);
      return [long, `ada@${long}`, `${long}@example.org`, `a${long}a`];
    },
  );
  const started = performance.now();
  for (const text of texts) parseAddress(text);
  const eachMs = (performance.now() - started) / texts.length;
  assert.ok(eachMs < 250, `${eachMs} ms each`);
});

describe("for any text", () => {
  const anything = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({ unit: "grapheme" }),
    fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    fc.string({ unit: fc.constantFrom(...'aA1.@@-_"\\<>()[]:,; \t\r\n\0xnéİ\u0301') }),
  );
  const scripts = ["abzABZ019_+'", "éÉßẞıIİiΣσςȺⱥǅ", "ДдЙй", "中は１🐎", "क्षनम्भ", "ایشن", "אבג", "한국"];
  const oddities = [
    "!",
    "|",
    "’",
    "\u0301",
    "\u0307",
    "\u030C",
    "J\u030C",
    "i\u0307",
    "\u200C",
    "\u200D",
    "\uFE0F",
  ];
  const word = fc.constantFrom(...scripts).chain((script) =>
    fc.string({
      unit: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...script) }, fc.constantFrom(...oddities)),
      minLength: 1,
      maxLength: 8,
    }),
  );
  const local = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join("."));
  const label = fc
    .constantFrom("abZ09-", "abcüÜßéς", "ΑΣσς", "ДдЙй", "中はｱ１", "क्षनम", "ایش", "אבג", "❤a")
    .chain((script) => fc.string({ unit: fc.constantFrom(...script), minLength: 1, maxLength: 8 }));
  const top = fc.constantFrom("com", "ORG", "рф", "xn--p1ai", "ＪＰ", "भारत", "c0", "123");
  const domain = fc
    .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), top, fc.constantFrom(".", ".", "。"))
    .map(([labels, last, dot]) => [...labels, last].join(dot));
  const nearly = fc.tuple(local, domain).map(([before, after]) => `${before}@${after}`);

  test("the answer is an address or a sentence, never an exception", () => {
    fc.assert(
      fc.property(fc.oneof(anything, nearly), (text) => {
        const parsed = parseAddress(text);
        if (parsed.ok) return;
        assert.equal(parsed.code, "invalid_email");
        assert.ok(parsed.detail.startsWith(addressFaults[parsed.reason]));
      }),
      { numRuns: 1000 },
    );
  });

  test("what is accepted keeps the limits, is put together from its parts and is read again as itself", () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.oneof(nearly, anything), (text) => {
        const parsed = parseAddress(text);
        if (!parsed.ok) return;
        accepted += 1;
        assert.equal(parsed.address, `${parsed.local}@${parsed.domain}`);
        assert.equal(parsed.address, parsed.address.normalize("NFC"));
        assert.ok(Buffer.byteLength(parsed.local) <= 64);
        assert.ok(Buffer.byteLength(parsed.address) <= 254);
        assert.ok(Buffer.byteLength(`${parsed.local}@${parsed.asciiDomain}`) <= 254);
        assert.match(
          parsed.asciiDomain,
          /^(?=.{3,253}$)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+(?!\d+$)[a-z\d-]+$/,
        );
        assert.equal(parsed.isEai, /[^\0-\x7f]/.test(parsed.local));
        assert.deepEqual(parseAddress(parsed.address), parsed);
        assert.equal(accept(parsed.key).key, parsed.key);
        assert.equal(accept(`${parsed.local}@${parsed.asciiDomain}`).key, parsed.key);
      }),
      { numRuns: 1500 },
    );
    assert.ok(accepted > 300, `only ${accepted} were addresses at all`);
  });

  test("the case of ASCII letters and outer blanks don't change the key", () => {
    const ascii = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
    const shout = (text: string) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
    fc.assert(
      fc.property(nearly, fc.stringMatching(/^[ \t\u3000\u00a0]*$/), (text, blanks) => {
        const parsed = parseAddress(text);
        fc.pre(parsed.ok);
        assert.equal(accept(ascii(parsed.address)).key, parsed.key);
        assert.equal(accept(shout(parsed.address)).key, parsed.key);
        assert.deepEqual(parseAddress(blanks + text + blanks), parsed);
      }),
    );
  });

  test("the quick way and the whole examination give one answer", () => {
    const wide = (text: string) =>
      text.replaceAll(/[A-Za-z\d-]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));
    const plainLocal = fc.stringMatching(/^[\w+'-]{1,70}$/);
    const plainDomain = fc.stringMatching(/^(?:[a-zA-Z\d-]{1,70}\.){1,3}[a-zA-Z]{2,4}$/);
    fc.assert(
      fc.property(plainLocal, plainDomain, (before, after) => {
        const [quick, whole] = [parseAddress(`${before}@${after}`), parseAddress(`${before}@${wide(after)}`)];
        assert.equal(quick.ok && quick.key, whole.ok && whole.key);
      }),
      { numRuns: 1000 },
    );
  });
});

test("every letter with a case, alone and under a mark, has a stable key", () => {
  for (let code = 0x80; code < 0x20000; code += 1) {
    const letter = String.fromCodePoint(code);
    if (!/\p{Changes_When_Casemapped}/u.test(letter)) continue;
    for (const mark of ["", "\u0307", "\u030C", "\u0308", "\u0331", "\u0345", "\u094D\u0307"]) {
      const parsed = parseAddress(`a${letter}${mark}@example.org`);
      if (parsed.ok) assert.equal(accept(parsed.key).key, parsed.key, `U+${code.toString(16)}`);
    }
  }
});

test("a dot above is no part of the letter i, whatever mark stands between them", () => {
  for (const mark of ["", "\u094D", "\u0323", "\u0308"]) {
    const spellings = [`i${mark}\u0307`, `I${mark}\u0307`, `\u0130${mark}`, `i${mark}`];
    const keys = spellings.map((letter) => accept(`${letter}\u0915@example.org`).key);
    assert.equal(new Set(keys).size, 1, JSON.stringify(keys));
  }
});
