import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import fc from "fast-check";
import { csvLine } from "../../../platform/csv.ts";
import type { FieldRow } from "../../fields/field-store.ts";
import { readCell } from "./cells.ts";
import { planColumns } from "./column-mapping.ts";
import { type Delimiter, type Encoding, findFormat, parseSample } from "./format.ts";
import { readRecords } from "./records.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-reading-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Takes a file the whole way: its format is guessed, it is read in chunks, and its cells are decoded. */
async function readAll(
  bytes: Buffer,
  given: { encoding?: Encoding; delimiter?: Delimiter } = {},
): Promise<string[][]> {
  const path = join(folder, "file.csv");
  writeFileSync(path, bytes);
  const format = findFormat(bytes.subarray(0, 500_000), given);
  const rows: string[][] = [];
  await readRecords(path, format, {
    onRecord: (cells) =>
      void rows.push(cells.map((cell) => readCell(cell, format) ?? "(not in this encoding)")),
    afterChunk: async () => true,
  });
  return rows;
}

test("what our own writer writes is read back, whatever it is", async () => {
  const cell = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "=1+1",
      "'=x",
      "''-",
      "@a",
      "+1",
      "a\r\nb",
      '"',
      'say "no"',
      ";",
      ",",
      "\t",
      "|",
      "é",
      "'",
    ),
    fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r", "'", "=", " ", "a", ";") }),
  );
  const text = cell.map((one) => one.replaceAll("\0", "").replaceAll("\uFFFD", "").toWellFormed().trim());
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(text, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 }),
      async (rows) => {
        const bytes = Buffer.from(rows.map(csvLine).join(""));
        assert.deepEqual(await readAll(bytes, { encoding: "utf-8", delimiter: "," }), rows);
      },
    ),
    { numRuns: 200 },
  );
});

const table = [
  ["email", "Vorname", "Stadt"],
  ["jürgen@example.org", "Jürgen", "Köln"],
  ["chloe@example.org", "Chloé", "Orléans"],
];
const lines = (delimiter: string, end = "\r\n") => table.map((row) => row.join(delimiter)).join(end) + end;
const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

const files: readonly [name: string, bytes: Buffer][] = [
  ["UTF-8", Buffer.from(lines(","))],
  ["UTF-8 with a mark", Buffer.from(`\uFEFF${lines(";")}`)],
  ["Latin-1", Buffer.from(lines(";"), "latin1")],
  ["UTF-16 LE with a mark", Buffer.from(`\uFEFF${lines("\t")}`, "utf16le")],
  ["UTF-16 BE with a mark", utf16be(`\uFEFF${lines(",")}`)],
  ["UTF-16 LE without one", Buffer.from(lines(","), "utf16le")],
  ["UTF-16 BE without one", utf16be(lines(";"))],
  ["line feeds alone", Buffer.from(lines("|", "\n"))],
  ["carriage returns alone", Buffer.from(lines(",", "\r"))],
  ["Excel's sep line", Buffer.from(`sep=;\r\n${lines(";")}`)],
  [
    "two encodings in one file",
    Buffer.concat([
      Buffer.from(`${table[0]?.join()}\n${table[1]?.join()}\n`),
      Buffer.from(`${table[2]?.join()}\n`, "latin1"),
    ]),
  ],
];

for (const [name, bytes] of files) {
  test(`${name}: encoding and delimiter are found`, async () => {
    assert.deepEqual(await readAll(bytes), table);
  });
}

test("an encoding that was named is held to", async () => {
  const rows = await readAll(Buffer.from("email\njürgen@example.org\n", "latin1"), { encoding: "utf-8" });
  assert.deepEqual(rows[1], ["(not in this encoding)"]);
});

const faults: readonly [name: string, bytes: Buffer, code: string][] = [
  ["nothing", Buffer.alloc(0), "empty_file"],
  ["a zip", Buffer.from("PK\x03\x04rest"), "not_csv"],
  ["an old workbook", Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), "not_csv"],
  ["NUL bytes", Buffer.from("email\nada@exa\0mple.org\n"), "binary_file"],
  [
    "a program",
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 62]),
    "binary_file",
  ],
];
for (const [name, bytes, code] of faults) {
  test(`${name} is refused as ${code}`, () => {
    assert.throws(() => findFormat(bytes, {}), { code });
  });
}

test("100,000 columns and a line without end are refused at the first look", () => {
  assert.throws(() => parseSample(Buffer.from(`${",".repeat(100_000)}\n`), ",", true), {
    code: "too_many_columns",
  });
  assert.throws(() => parseSample(Buffer.alloc(512 * 1_024, "a"), ",", false), { code: "row_too_long" });
});

test("a quotation mark that is never closed is named by its row", async () => {
  await assert.rejects(
    readAll(Buffer.from('email,name\na@example.org,A\nb@example.org,"B\nc@example.org,C\n')),
    {
      code: "quote_not_closed",
      message: /row 3/,
    },
  );
});

const field = { id: "f1", key: "shoe_size", name: "Shoe size", type: "number", slot: 1 } as FieldRow;
const targetsOf = (text: string, more: Partial<Parameters<typeof planColumns>[3]> = {}) => {
  const given = {
    target: "subscribers" as const,
    fileName: "people.csv",
    now: new Date("2026-11-16"),
    ...more,
  };
  const bytes = Buffer.from(text);
  const format = findFormat(bytes, {});
  const plan = planColumns(parseSample(bytes, format.delimiter, true), format, [field], given);
  return "faults" in plan
    ? plan.faults.map((one) => `${one.pointer} ${one.code}`)
    : plan.columns.map(({ target }) => target);
};

test("columns are guessed from headings in several languages", () => {
  assert.deepEqual(targetsOf("E-Mail-Adresse;Vorname;Nachname;Shoe Size\na@b.example;A;B;44\n"), [
    "email",
    "first_name",
    "last_name",
    "field",
  ]);
  assert.deepEqual(targetsOf("Prénom,Nom,Courriel,Étiquettes\nA,B,a@b.example,x\n"), [
    "first_name",
    "last_name",
    "email",
    "tags",
  ]);
  assert.deepEqual(targetsOf("姓,名,メールアドレス,時刻\nA,B,a@b.example,x\n"), [
    "last_name",
    "first_name",
    "email",
    "ignore",
  ]);
});

test("the addresses themselves outweigh a heading, and need none", () => {
  assert.deepEqual(targetsOf("Email,Contact\nyes,a@b.example\nno,c@d.example\n"), ["ignore", "email"]);
  assert.deepEqual(targetsOf("Ada,a@b.example\nAlan,c@d.example\n"), ["ignore", "email"]);
  assert.deepEqual(targetsOf("a@b.example,192.0.2.1\nc@d.example,2001:db8::1\n"), ["email", "opt_in_ip"]);
});

test("a heading about the past is believed only where the cells bear it out", () => {
  const head = "Email,Status,Created,IP,Source,Unsubscribed";
  assert.deepEqual(targetsOf(`${head}\na@b.example,active,2024-01-02,192.0.2.1,fair,no\n`), [
    "email",
    "status",
    "opted_in_at",
    "opt_in_ip",
    "opt_in_source",
    "is_unsubscribed",
  ]);
  assert.deepEqual(targetsOf(`${head}\na@b.example,gold,by hand,yes,fair,perhaps\n`), [
    "email",
    "ignore",
    "ignore",
    "ignore",
    "opt_in_source",
    "ignore",
  ]);
  const words = "a@b.example,Prenumerant\nc@d.example,Prenumerant\n";
  assert.deepEqual(targetsOf(`Email,Status\n${words}`), ["email", "ignore"]);
  for (const word of ["unsubscribed", "bounced", "spam", "blocklisted"])
    assert.deepEqual(targetsOf(`Email,Status\n${words}e@f.example,${word}\n`), ["email", "status"], word);
  assert.deepEqual(targetsOf("Email,State,Name\na@b.example,active,Ada\n"), ["email", "ignore", "full_name"]);
  assert.deepEqual(targetsOf("Name,Vorname,Email\nLovelace,Ada,a@b.example\n"), [
    "last_name",
    "first_name",
    "email",
  ]);
});

test("a mapping is held against the file, and every fault named", () => {
  assert.deepEqual(targetsOf("a,b\nx@y.example,z\n", { mapping: { A: "email", b: "fields.shoe_size" } }), [
    "email",
    "field",
  ]);
  assert.deepEqual(
    targetsOf("a,b\nx@y.example,z\n", { mapping: { c: "email", b: "fields.other", a: "mail" } }),
    ["/mapping/c unknown_column", "/mapping/b unknown_field", "/mapping/a invalid_value"],
  );
  assert.deepEqual(targetsOf("a@b.example,c@d.example\n", { mapping: { 1: "email", 2: "email" } }), [
    "/mapping duplicate",
  ]);
});
