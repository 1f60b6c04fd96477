import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { acceptedClasses, refusedClasses, scoreAddresses } from "./addresses.ts";
import { readIsemailTests } from "./isemail.ts";

function testsOf(...cases: [address: string, category: string][]): string {
  const elements = cases.map(
    ([address, category], index) =>
      `<test id="${index + 1}"><address>${address}</address><category>${category}</category><diagnosis>D</diagnosis></test>`,
  );
  return `<?xml version="1.0"?><!-- <test id="0"> --><tests>${elements.join("\n")}</tests>`;
}

function scoreOf(...cases: [address: string, category: string][]) {
  const { figures, details } = scoreAddresses(readIsemailTests(testsOf(...cases)));
  return { ok: figures.every(({ ok }) => ok), ours: figures.map(({ ours }) => ours), details };
}

test("docs/addresses.md argues each class of difference, and no other", () => {
  const page = readFileSync(new URL("../../docs/addresses.md", import.meta.url), "utf8");
  const headings = [...page.matchAll(/^### (.+)$/gm)].map(([, title]) => title);
  const titles = [...refusedClasses.map(({ title }) => title), ...Object.values(acceptedClasses)];
  assert.deepEqual(headings, titles);
});

test("entities and control pictures of the corpus become what they stand for, and blanks stay", () => {
  const read = readIsemailTests(testsOf([" a&amp;b&#x40;c&#46;d&#x240D;&#x240A; ", "ISEMAIL_ERR"]));
  assert.deepEqual(read, [{ id: "1", address: " a&b@c.d\r\n ", category: "ISEMAIL_ERR", diagnosis: "D" }]);
  assert.equal(readIsemailTests('<test id="1"><address/><category>C</category></test>')[0]?.address, "");
});

test("a difference that is argued passes, and is listed by its class", () => {
  const { ok, ours, details } = scoreOf(
    ["ada@example.org", "ISEMAIL_VALID_CATEGORY"],
    ["ada@[192.0.2.1]", "ISEMAIL_RFC5321"],
    [" ada@example.org", "ISEMAIL_CFWS"],
    ["ada@@example.org", "ISEMAIL_ERR"],
  );
  assert.deepEqual({ ok, ours }, { ok: true, ours: [100, 50] });
  assert.ok(details.includes("Address literals: 1"));
  assert.ok(details.includes("Outer blanks: 1"));
});

const unexplained: readonly [why: string, address: string, category: string][] = [
  ["a plain address that we refuse", "ada..lovelace@example.org", "ISEMAIL_VALID_CATEGORY"],
  ["a good reason in the wrong place", "ada@my_host.example", "ISEMAIL_DNSWARN"],
  ["a faulty address that we accept", "ada@example.org", "ISEMAIL_ERR"],
  ["a category that we don't know", "ada@example.org", "ISEMAIL_NEW"],
];
for (const [why, address, category] of unexplained) {
  test(`${why} falls short`, () => assert.equal(scoreOf([address, category]).ok, false));
}

test("an empty corpus falls short", () => assert.equal(scoreOf().ok, false));

test("npm run score says so without corpora, and exits 1 when a figure falls short", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "postrider-score-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const none = run({ CORPORA: undefined });
  assert.deepEqual([none.stdout, none.status], ["[]\n", 0]);
  assert.match(none.stderr, /^no corpora here/);
  assert.equal(run({ CORPORA: join(folder, "missing") }).stdout, "[]\n");

  mkdirSync(join(folder, "addresses"));
  writeFileSync(join(folder, "addresses/isemail-tests.xml"), testsOf(["ada@example.org", "ISEMAIL_ERR"]));
  const short = run({ CORPORA: folder });
  assert.equal(short.status, 1);
  const [figure] = JSON.parse(short.stdout);
  assert.deepEqual(figure, {
    name: "addresses.agreed_or_argued",
    ours: 0,
    reference: null,
    ratio: null,
    asked: 100,
    ok: false,
  });
});

function run(env: Record<string, string | undefined>) {
  const program = join(import.meta.dirname, "../run.ts");
  const options = { encoding: "utf8", env: { ...process.env, ...env } } as const;
  return spawnSync(process.execPath, [program, "addresses", "--json"], options);
}
