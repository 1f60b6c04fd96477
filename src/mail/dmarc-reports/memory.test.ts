import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { createGzip, gzipSync } from "node:zlib";
import { recordOf, reportOf, zipOf } from "./reports.fixture.ts";

const MOST_MB = 64;
const MB = 1_048_576;

describe("what is made to be large takes at most 64 MB of memory", () => {
  let folder = "";
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "dmarc-memory-"));
  });
  after(() => rmSync(folder, { recursive: true }));

  /** In a process of its own, whose size nothing else changes. */
  function read(path: string): { rows?: number; reason?: string; grownMb: number } {
    const args = [join(import.meta.dirname, "memory.fixture.ts"), path];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  }

  function written(name: string, bytes: Buffer): string {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  }

  async function bomb(name: string, head: string, filling: string): Promise<string> {
    const path = join(folder, name);
    const block = Buffer.alloc(5 * MB, filling);
    async function* blocks() {
      yield Buffer.from(head);
      for (let n = 0; n < 100; n++) yield block;
    }
    await pipeline(Readable.from(blocks()), createGzip({ level: 1 }), createWriteStream(path));
    return path;
  }

  const beginning = reportOf().slice(0, -"</feedback>".length);
  const bombs = [
    ["blanks", beginning, " "],
    ["a comment that never ends", `${beginning}<!--`, "-a"],
    ["an attribute that never ends", `${beginning}<a b="`, "c"],
    ["elements without end", beginning, "<a/>"],
  ] as const;
  for (const [what, head, filling] of bombs)
    test(`500 MB of ${what} in a gzip`, async () => {
      const found = read(await bomb(`${what.replaceAll(" ", "-")}.gz`, head, filling));
      assert.equal(found.reason, "too_large");
      assert.ok(found.grownMb <= MOST_MB, `it took ${found.grownMb} MB`);
    });

  test("40 MB in a zip that says it is 10 bytes", () => {
    const content = Buffer.concat([Buffer.from(beginning), Buffer.alloc(40 * MB, "<a/>")]);
    const found = read(written("lying.zip", zipOf({ name: "report.xml", content, claimedSize: 10 })));
    assert.equal(found.reason, "too_large");
    assert.ok(found.grownMb <= MOST_MB, `it took ${found.grownMb} MB`);
  });

  test("17 MB of records that all differ", () => {
    const records = Array.from({ length: 40_000 }, (_, n) =>
      recordOf({ ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, headerFrom: `h${n}.acme.example` }),
    );
    const xml = Buffer.from(reportOf({ records }));
    assert.ok(xml.length > 17 * MB);
    for (const path of [written("wide.xml", xml), written("wide.xml.gz", gzipSync(xml))]) {
      const found = read(path);
      assert.equal(found.rows, 40_000);
      assert.ok(found.grownMb <= MOST_MB, `it took ${found.grownMb} MB`);
    }
  });

  test("200,000 records are counted, and 50,000 rows are kept", () => {
    const record = (n: number) =>
      `<record><row><source_ip>10.${n >> 16}.${(n >> 8) & 255}.${n & 255}</source_ip><count>1</count></row></record>`;
    const records = Array.from({ length: 200_000 }, (_, n) => record(n));
    const found = read(written("many.xml.gz", gzipSync(reportOf({ records }))));
    assert.equal(found.rows, 50_000);
    assert.ok(found.grownMb <= MOST_MB, `it took ${found.grownMb} MB`);
  });
});
