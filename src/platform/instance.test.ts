import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { cloneDatabase } from "../../test/support/database.ts";
import { createDb, type Db } from "./db/db.ts";
import { agreeOnSecrets, readOrMakeSecretKey } from "./instance.ts";
import { createLog } from "./log.ts";
import { createSecrets } from "./secrets.ts";
import { StartupError } from "./startup-error.ts";

const OLD = "the old secret key, of 32 characters and more";
const NEW = "the new secret key, of 32 characters and more";
const OTHER = "another secret key, of 32 characters and more";

// All tests stand in one suite: tests beside the code share processes, where a hook outside a suite would run for every
// file.
describe("this instance", () => {
  let database: { url: string; drop(): Promise<void> };
  let db: Db;
  beforeEach(async () => {
    database = await cloneDatabase();
    db = createDb({
      connection: database.url,
      poolSize: 12,
      applicationName: "instance test",
      log: createLog({ level: "silent", pretty: false }),
      statementTimeoutMs: 10_000,
    });
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  describe("the secret key's file", () => {
    let folder = "";
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "postrider-key-"));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    it("is made once, for its owner's eyes, and read from then on", async () => {
      const [key = ""] = await readOrMakeSecretKey(db, folder);
      assert.match(key, /^[0-9a-f]{64}$/);
      assert.deepEqual(await readOrMakeSecretKey(db, folder), [key]);
      assert.equal(statSync(join(folder, "secret.key")).mode & 0o777, 0o600);
    });

    it("is never replaced when it is damaged", async () => {
      const path = join(folder, "secret.key");
      for (const content of ["", "\n", "short"]) {
        writeFileSync(path, content);
        await assert.rejects(readOrMakeSecretKey(db, folder), StartupError);
        assert.equal(readFileSync(path, "utf8"), content);
      }
    });

    it("is not made anew for a database that was set up with one that is gone", async () => {
      await agreeOnSecrets(db, createSecrets(await readOrMakeSecretKey(db, folder)));
      rmSync(join(folder, "secret.key"));
      await assert.rejects(readOrMakeSecretKey(db, folder), StartupError);
      assert.equal(existsSync(join(folder, "secret.key")), false);
    });
  });

  describe("the secret key's fingerprint", () => {
    const check = (...keys: string[]) => agreeOnSecrets(db, createSecrets(keys));
    const isRefused = (error: unknown) =>
      error instanceof StartupError && /not the one this database was set up with/.test(error.message);

    it("lets every start with the same key pass", async () => {
      await check(OLD);
      await check(OLD);
    });

    it("stops a start with another key", async () => {
      await check(OLD);
      await assert.rejects(check(OTHER), isRefused);
      await assert.rejects(check(NEW, OTHER), isRefused);
      await check(OLD);
    });

    it("follows a rotation: first the new key is known, then used, then alone", async () => {
      await check(OLD);
      await check(OLD, NEW);
      await check(NEW, OLD);
      await check(NEW);
      await assert.rejects(check(OLD), isRefused);
    });

    it("comes with keys of address hashes and of links that no rotation changes", async () => {
      const first = await check(OLD);
      assert.deepEqual([first.addressKey.length, first.linkKey.length], [32, 32]);
      assert.ok(!first.addressKey.equals(first.linkKey));
      for (const keys of [[OLD], [OLD, NEW], [NEW, OLD], [NEW]])
        assert.deepEqual(await check(...keys), first);
    });

    it("is decided once when processes with different keys start together", async () => {
      const starts = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) => check(i % 2 === 0 ? OLD : OTHER)),
      );
      assert.equal(starts.filter((start) => start.status === "fulfilled").length, 4);
    });
  });
});
