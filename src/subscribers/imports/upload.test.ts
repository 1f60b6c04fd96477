import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { removeStrayUploads, saveUpload } from "./upload.ts";

const folder = mkdtempSync(join(tmpdir(), "postrider-upload-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const [one, two] = ["0190b8f5-0000-7000-8000-000000000001", "0190b8f5-0000-7000-8000-000000000002"];

const account = "0190b8f5-0000-7000-8000-00000000000a";
const owner = (importId: string) => ({ accountId: account, importId });
const filesIn = () => readdirSync(join(folder, account));

async function* chunks(count: number, failure?: Error): AsyncGenerator<Buffer> {
  for (let n = 0; n < count; n++) yield Buffer.alloc(1_000, n);
  if (failure) throw failure;
}

test("what arrives is on disk under its name, with its size and hash", async () => {
  const saved = await saveUpload(folder, owner(one), chunks(10), 10_000);
  const bytes = readFileSync(saved.path);
  assert.equal(saved.bytes, 10_000);
  assert.equal(saved.sha256, createHash("sha256").update(bytes).digest("hex"));
  assert.deepEqual(filesIn(), [`${one}.csv`]);
  rmSync(saved.path);
});

test("too much, or a broken connection, leaves nothing behind", async () => {
  await assert.rejects(
    saveUpload(folder, owner(one), chunks(11), 10_000),
    (error: { problem?: { status: number } }) => error.problem?.status === 413,
  );
  await assert.rejects(saveUpload(folder, owner(one), chunks(3, new Error("gone")), 10_000), /gone/);
  assert.deepEqual(filesIn(), []);
});

test("a disk that fills up in mid-upload is said so, and nothing is left on it", () => {
  // A limit on the size of files ends a write in the middle just as a full disk does.
  const script = `
    import { saveUpload } from ${JSON.stringify(new URL("./upload.ts", import.meta.url).href)};
    const chunks = async function* () { for (let n = 0; n < 100; n++) yield Buffer.alloc(65536, 97); };
    await saveUpload(${JSON.stringify(folder)}, ${JSON.stringify(owner(two))}, chunks(), 1e9).catch((error) => {
      console.log(error.problem?.code, error.problem?.status);
    });`;
  const limited = `ulimit -f 1000; exec "${process.execPath}" --input-type=module-typescript -e '${script.replaceAll("'", "'\\''")}'`;
  const ran = spawnSync("sh", ["-c", limited], { encoding: "utf8" });
  assert.equal(ran.stdout.trim(), "storage_full 503", ran.stderr);
  assert.deepEqual(filesIn(), []);
});

test("what a crash left is removed when it is a day old, and what an import needs is not", async () => {
  const names = [`${one}.csv`, `${two}.csv`, `${two}.csv.part`, "notes.txt"];
  const dayAgo = Date.now() / 1_000 - 25 * 3_600;
  for (const name of names) {
    writeFileSync(join(folder, account, name), "");
    utimesSync(join(folder, account, name), dayAgo, dayAgo);
  }
  writeFileSync(join(folder, account, "0190b8f5-0000-7000-8000-000000000003.csv.part"), "");
  await removeStrayUploads(folder, async () => new Set([one]));
  assert.deepEqual(filesIn().sort(), [
    `${one}.csv`,
    "0190b8f5-0000-7000-8000-000000000003.csv.part",
    "notes.txt",
  ]);
});
