import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createSpool } from "./spool.ts";

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const unreadable: string[] = [];

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "spool-"));
  folders.push(folder);
  return join(folder, "hits");
}

function make(folder: string, mostBytes = 1_000_000) {
  return createSpool<{ n: number }>({
    folder,
    mostBytes,
    now: Date.now,
    onUnreadable: (path) => unreadable.push(path),
  });
}

async function drained(spool: ReturnType<typeof make>): Promise<number[]> {
  const found: number[] = [];
  await spool.drain(async (_id, entries) => {
    found.push(...entries.map(({ n }) => n));
  });
  return found;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

describe("a spool", () => {
  it("gives back what was appended, in order and once", async () => {
    const spool = make(await makeFolder());
    assert.ok((await Promise.all(numbers(2_500).map((entry) => spool.append(entry)))).every(Boolean));
    assert.equal(spool.hasEntries(), true);
    assert.deepEqual(
      await drained(spool),
      numbers(2_500).map(({ n }) => n),
    );
    assert.equal(spool.hasEntries(), false);
    assert.deepEqual(await drained(spool), []);
  });

  it("gives a segment again when replaying it failed, with the same id", async () => {
    const folder = await makeFolder();
    const spool = make(folder);
    await spool.append({ n: 1 });
    const ids: string[] = [];
    await assert.rejects(
      spool.drain(async (id) => {
        ids.push(id);
        throw new Error("the database is away");
      }),
      /away/,
    );
    await spool.drain(async (id) => {
      ids.push(id);
    });
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.deepEqual(await readdir(folder), []);
  });

  it("takes no more than it may, and takes again once it is drained", async () => {
    const spool = make(await makeFolder(), 100);
    const taken = [];
    for (const entry of numbers(20)) taken.push(await spool.append(entry));
    assert.ok(taken[0] && !taken.at(-1));
    const kept = await drained(spool);
    assert.equal(kept.length, taken.filter(Boolean).length);
    assert.equal(await spool.append({ n: 99 }), true);
  });

  it("finds what a process that died left behind, but for a line that was cut off", async () => {
    const folder = await makeFolder();
    const script = `
      import { createSpool } from ${JSON.stringify(new URL("./spool.ts", import.meta.url).href)};
      const spool = createSpool({ folder: ${JSON.stringify(folder)}, mostBytes: 1e6, now: Date.now, onUnreadable() {} });
      for (let n = 0; n < 10; n++) await spool.append({ n });
      process.kill(process.pid, "SIGKILL");`;
    const { signal } = spawnSync(process.execPath, ["--input-type=module", "-e", script]);
    assert.equal(signal, "SIGKILL");
    const [name = ""] = await readdir(folder);
    await truncate(join(folder, name), '{"n":0}\n'.length * 9 + 3);
    const spool = make(folder);
    await spool.lookAround();
    assert.deepEqual(await drained(spool), [], "it may still be written to");
    const old = new Date(Date.now() - 120_000);
    await utimes(join(folder, name), old, old);
    await spool.lookAround();
    assert.deepEqual(await drained(spool), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it("leaves alone what a living process writes, and files that aren't its own", async () => {
    const folder = await makeFolder();
    const [one, other] = [make(folder), make(folder)];
    await one.append({ n: 1 });
    await writeFile(join(folder, "notes.txt"), "hello");
    await other.lookAround();
    assert.deepEqual(await drained(other), []);
    assert.deepEqual(await drained(one), [1]);
    assert.deepEqual(await readdir(folder), ["notes.txt"]);
  });

  it("hands a segment to one of two processes that drain at once, or to both under one id", async () => {
    const folder = await makeFolder();
    const [one, other] = [make(folder), make(folder)];
    for (const entry of numbers(50)) await one.append(entry);
    await one.close();
    const seen = new Map<string, number>();
    const note = async (id: string, entries: readonly unknown[]) => {
      seen.set(id, entries.length);
    };
    await Promise.all([one.drain(note), other.drain(note)]);
    assert.deepEqual([...seen.values()], [50]);
  });

  it("sets a segment aside that can't be read, and replays those behind it", async () => {
    const folder = await makeFolder();
    const spool = make(folder);
    await spool.append({ n: 1 });
    await spool.drain(async () => undefined);
    await writeFile(
      join(folder, `${"0".repeat(15)}-${"a".repeat(8)}-aaaa-4aaa-8aaa-${"a".repeat(12)}.sealed`),
      "{broken\n",
    );
    await spool.append({ n: 2 });
    assert.deepEqual(await drained(spool), [2]);
    assert.equal(unreadable.length, 1);
  });

  it("loses nothing when it is drained while it is written to", async () => {
    const spool = make(await makeFolder());
    const found: number[] = [];
    const drain = () =>
      spool.drain(async (_id, entries) => {
        found.push(...entries.map(({ n }) => n));
      });
    const writing = Promise.all(
      numbers(500).map(async (entry) => {
        await new Promise((resolve) => setTimeout(resolve, entry.n / 2));
        assert.equal(await spool.append(entry), true);
      }),
    );
    for (let n = 0; n < 100; n++) {
      await drain();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await writing;
    await drain();
    assert.deepEqual(
      found.toSorted((a, b) => a - b),
      numbers(500).map(({ n }) => n),
    );
  });

  it("keeps its files to its owner", async () => {
    const folder = await makeFolder();
    const spool = make(folder);
    await spool.append({ n: 1 });
    const [name = ""] = await readdir(folder);
    const { stat } = await import("node:fs/promises");
    assert.equal((await stat(join(folder, name))).mode & 0o777, 0o600);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
  });
});
