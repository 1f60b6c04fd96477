import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { settings } from "../../src/platform/config/settings.ts";
import { assertOneLine, keyIn, makeInstallation, type Service, waitUntil } from "../support/process.ts";

const installation = makeInstallation();
const second = makeInstallation();
after(() => Promise.all([installation.clear(), second.clear()]));

let service: Service;
let baseUrl: string;
let firstKey: string;
let keyOfStopped: string;
/**
 * This service is started while the first one runs. It gives up after five seconds, in case the first was about to
 * stop.
 */
let another: Service;

test("the first start prints its address and a key once, on standard output and not as a log line", async () => {
  service = installation.start();
  baseUrl = await service.ready();
  await waitUntil("the key is printed", () => keyIn(service.stdout()) !== undefined);
  firstKey = keyIn(service.stdout()) ?? "";
  assert.match(service.stdout(), new RegExp(`Address +${baseUrl}\n`));
  assert.match(service.stdout(), new RegExp(`API reference +${baseUrl}/docs\n`));
  for (const line of [/"migrations":\d+/g, /"made":\d+/g]) {
    assert.equal(
      service.stdout().match(line)?.length,
      1,
      "one line for all migrations, one for all partitions",
    );
  }
  assert.match(service.stdout(), new RegExp(`Set-up link +${baseUrl}/setup#prl_[0-9A-Za-z]{54}\n`));
  assert.equal(service.stdout().split(firstKey).length, 2, "printed once");
  assert.doesNotMatch(service.stderr(), /pr_/);
  assert.doesNotMatch(service.stdout(), /^\{.*pr_/m);
  another = installation.start();
});

test("the printed key opens the account", async () => {
  const account = await ask("/v1/account", firstKey);
  assert.equal(account.status, 200);
  assert.equal(account.body.name, "My account");
  const renamed = await ask("/v1/account", firstKey, { name: "Renamed before the stop" });
  assert.equal(renamed.status, 200);
});

test("the secret key is made for the owner's eyes only", () => {
  assert.equal(statSync(join(installation.dataDir, "secret.key")).mode & 0o777, 0o600);
});

test("beside the running service, `keys create` prints a key alone, and it works", async () => {
  const made = await installation.postrider(["keys", "create"]);
  assert.deepEqual([made.code, made.stderr], [0, ""]);
  assert.match(made.stdout, /^pr_[0-9A-Za-z]{54}\n$/);
  assert.equal((await ask("/v1/account", made.stdout.trim())).status, 200);
});

test("`keys create --scopes` makes a key that opens no more than that", async () => {
  const made = await installation.postrider([
    "keys",
    "create",
    "--scopes",
    "account:read",
    "--name",
    "Reader",
  ]);
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await ask("/v1/account", made.stdout.trim())).status, 200);
  assert.equal((await ask("/v1/api_keys", made.stdout.trim())).status, 403);
});

test("`accounts create` makes an account with a key of its own", async () => {
  const made = await installation.postrider(["accounts", "create", "--name", "Acme Ltd"]);
  const [, id, key] = /^account (acc_\w{26})\nkey (pr_\w{54})\n/.exec(made.stdout) ?? [];
  const account = await ask("/v1/account", key);
  assert.deepEqual([account.body.id, account.body.name], [id, "Acme Ltd"]);
  const other = await installation.postrider(["keys", "create", "--account", String(id)]);
  assert.equal((await ask("/v1/account", other.stdout.trim())).body.id, id);
});

test("`config` shows every setting and masks secrets", async () => {
  const secrets = {
    SECRET_KEY: "a secret key of thirty-two characters or more",
    DATABASE_URL: "postgres://somebody:a-password@127.0.0.1/nothing",
    METRICS_TOKEN: "a-token-for-metrics",
  };
  const shown = await installation.postrider(["config"], secrets);
  assert.equal(shown.code, 0, shown.stderr);
  for (const { name } of settings) assert.match(shown.stdout, new RegExp(`^${name}=`, "m"));
  for (const [name, value] of Object.entries(secrets)) {
    assert.match(shown.stdout, new RegExp(`^${name}=\\*+$`, "m"));
    assert.ok(!shown.stdout.includes(value), name);
  }
  assert.doesNotMatch(shown.stdout, /a-password/);
});

test("a command that can't be read says so in one line and exits with 1", async () => {
  const wrong: [string[], string][] = [
    [["frobnicate"], "there is no command `frobnicate`"],
    [["keys", "crate", "--name", "x"], "there is no command `keys crate`"],
    [["--name", "x"], "a command must come before --name"],
    [["keys", "create", "--colour", "red"], "keys create: Unknown option '--colour'"],
    [["keys", "create", "--scopes", "everything"], "there is no scope everything"],
    [["accounts", "create"], "accounts create needs --name"],
    [["keys", "create", "--account", "acc_nobody"], "acc_nobody is no account's id"],
    [
      ["keys", "create", "--account", "acc_01k9zq4t3xe8k8y0v6d3m2n1pq"],
      "there is no account acc_01k9zq4t3xe8k8y0v6d3m2n1pq",
    ],
  ];
  await Promise.all(
    wrong.map(async ([args, line]) => {
      const ended = await installation.postrider(args);
      assert.deepEqual([ended.code, ended.stdout], [1, ""], args.join(" "));
      assertOneLine(ended, line);
    }),
  );
});

test("another start on the same data directory fails clearly, and the first goes on", async () => {
  const ended = await another.ended;
  assert.equal(ended.code, 1);
  assertOneLine(ended, `Postrider runs already on ${installation.dataDir} (process ${service.nodePid()})`);
  assert.equal((await ask("/readyz")).status, 200);
});

test("a taken port is named", async () => {
  const { port } = new URL(baseUrl);
  const refused = await second.start({ env: { PORT: port } }).ended;
  assert.equal(refused.code, 1);
  assertOneLine(refused, `port ${port} on 127.0.0.1 is taken by another program`);
  assert.deepEqual(second.processes(), []);
});

test("once the port is mended, the first key is printed", async () => {
  const mended = second.start();
  await mended.ready();
  await waitUntil("the key is printed", () => keyIn(mended.stdout()) !== undefined);
  assert.equal((await mended.stop()).code, 0);
});

test("on the stopped service, `keys create` works as well", async () => {
  assert.equal((await service.stop()).code, 0);
  const made = await installation.postrider(["keys", "create"]);
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^pr_[0-9A-Za-z]{54}\n$/);
  keyOfStopped = made.stdout.trim();
  assert.deepEqual(installation.processes(), [], "it leaves nothing running");
});

test("a second start prints no key and finds everything", async (t) => {
  service = installation.start();
  baseUrl = await service.ready();
  t.diagnostic(`second start: ready ${service.readyAfterMs()} ms after \`npm start\` (3,000 asked)`);
  assert.equal((await ask("/v1/account", firstKey)).body.name, "Renamed before the stop");
  assert.equal((await ask("/v1/account", keyOfStopped)).status, 200);
  // This is long enough for the memory of the start to be freed, and for a late line of output to arrive.
  await sleep(1_000);
  assert.doesNotMatch(service.stdout(), /pr_/);
  t.diagnostic(memoryOf(service));
});

test("another secret key stops the start and does no harm", async () => {
  const path = join(installation.dataDir, "secret.key");
  const right = readFileSync(path, "utf8");
  assert.equal((await service.stop()).code, 0);
  writeFileSync(path, `${"0123456789abcdef".repeat(4)}\n`);
  await assertRefused("SECRET_KEY is not the one this database was set up with");
  rmSync(path);
  await assertRefused(`${path} is missing, and this database was set up with it`);
  assert.equal(existsSync(path), false);
  writeFileSync(path, right, { mode: 0o600 });
  service = installation.start();
  baseUrl = await service.ready();
  assert.equal((await ask("/v1/account", firstKey)).body.name, "Renamed before the stop");
  assert.equal((await service.stop()).code, 0);

  async function assertRefused(why: string): Promise<void> {
    const ended = await installation.start({ via: "node" }).ended;
    assert.equal(ended.code, 1);
    assertOneLine(ended, why);
    assert.deepEqual(installation.processes(), []);
  }
});

test("every fault in the environment and in .env is named, and nothing is started", async () => {
  const lines = ["PROT=4001", "LOG_LEVEL=loud", "DATA_DIR=./elsewhere"];
  writeFileSync(join(second.folder, ".env"), lines.join("\n"));
  const env = { PORT: "many", LOG_LEVEL: undefined, DATA_DIR: undefined };
  const ended = await second.start({ via: "node", cwd: second.folder, env }).ended;
  assert.equal(ended.code, 1);
  assertOneLine(ended, "the configuration has faults: ");
  assert.match(ended.stderr, /PROT in \.env is not a setting/);
  assert.match(ended.stderr, /PORT must be a whole number from 0 to 65535 \(it is "many"\)/);
  assert.match(ended.stderr, /LOG_LEVEL must be one of .* \(it is "loud"\)/);
  assert.ok(!existsSync(join(second.folder, "elsewhere")));
});

test(".env is read from the working directory, and a near miss is recognised", async () => {
  writeFileSync(join(second.folder, ".env"), "BASEURL=http://mail.example.com\n");
  const ended = await second.start({ via: "node", cwd: second.folder }).ended;
  assert.equal(ended.code, 1);
  assertOneLine(
    ended,
    "the configuration has a fault: BASEURL in .env is not a setting; did you mean BASE_URL?",
  );
});

async function ask(path: string, key?: string, patch?: object) {
  const response = await fetch(`${baseUrl}${path}`, {
    method: patch ? "PATCH" : "GET",
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(patch && { "content-type": "application/json" }),
    },
    ...(patch && { body: JSON.stringify(patch) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  const body: any = await response.json();
  return { status: response.status, body };
}

/** PostgreSQL's share is proportional, because its processes share most of their memory. */
function memoryOf(running: Service): string {
  if (!existsSync("/proc/self/smaps_rollup")) return "no /proc here, so no figures of memory";
  const kilobytes = (path: string, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(path, "utf8"))?.[1] ?? 0);
  const node = running.nodePid();
  const below = running.family().filter((pid) => pid !== running.pid && pid !== node);
  const postgres = below.reduce((sum, pid) => sum + kilobytes(`/proc/${pid}/smaps_rollup`, "Pss"), 0);
  const megabytes = (value: number) => `${Math.round(value / 1_024)} MB`;
  return `idle: node ${megabytes(kilobytes(`/proc/${node}/status`, "VmRSS"))} resident (200 asked), PostgreSQL and its guard ${megabytes(postgres)}`;
}
