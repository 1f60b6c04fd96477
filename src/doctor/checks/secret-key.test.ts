import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cloneDatabase } from "../../../test/support/database.ts";
import { systemClock } from "../../platform/clock.ts";
import { loadConfig } from "../../platform/config/load.ts";
import { agreeOnSecrets } from "../../platform/instance.ts";
import { createSecrets } from "../../platform/secrets.ts";
import { runCheck, type Status } from "../check.ts";
import { KEY, openEnv } from "../support.fixture.ts";
import { fingerprintCheck, judgeFingerprint, judgeKeyFile, keyFileCheck } from "./secret-key.ts";

test("the mode of the key's file is judged", () => {
  const cases: [number | undefined, Status][] = [
    [undefined, "info"],
    [0o100600, "ok"],
    [0o100400, "ok"],
    [0o100640, "warn"],
    [0o100604, "warn"],
  ];
  for (const [mode, status] of cases) assert.equal(judgeKeyFile("/data/secret.key", mode).status, status);
  assert.match(judgeKeyFile("/data/secret.key", 0o100644).finding, /mode 0644/);
});

test("a fingerprint is judged as a start would", () => {
  const cases: [string | undefined, string[], Status][] = [
    [undefined, ["a"], "info"],
    [undefined, [], "info"],
    ["a", ["a"], "ok"],
    ["a", ["a", "b"], "ok"],
    ["b", ["a", "b"], "info"],
    ["c", ["a", "b"], "fail"],
    ["c", [], "fail"],
  ];
  for (const [stored, ours, status] of cases) assert.equal(judgeFingerprint(stored, ours).status, status);
});

test("the key's file is found, and an absent one is not made", async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), "postrider-doctor-"));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const env = {
    ...loadConfig({ DATA_DIR: dataDir }, "no .env in tests"),
    clock: systemClock,
    servesUnsubscribe: true,
  };
  const check = () => runCheck(keyFileCheck, env);
  assert.equal((await check()).status, "info");
  assert.deepEqual(readdirSync(dataDir), []);
  writeFileSync(join(dataDir, "secret.key"), `${KEY}\n`, { mode: 0o600 });
  assert.equal((await check()).status, "ok");
  chmodSync(join(dataDir, "secret.key"), 0o644);
  assert.equal((await check()).status, "warn");
  writeFileSync(join(dataDir, "secret.key"), "\n");
  assert.match((await check()).finding, /damaged/);
});

test("the database's fingerprint is compared with the key's", async (t) => {
  const env = await openEnv(t, cloneDatabase);
  assert.equal((await fingerprintCheck.run(env)).status, "info");
  await agreeOnSecrets(env.db, createSecrets([KEY]));
  assert.equal((await fingerprintCheck.run(env)).status, "ok");
  const otherKey = "another secret key of 32 characters or more";
  const under = (secretKey: string[]) =>
    fingerprintCheck.run({ ...env, config: { ...env.config, secretKey } });
  assert.equal((await under([otherKey, KEY])).status, "info");
  assert.equal((await under([otherKey])).status, "fail");
});
