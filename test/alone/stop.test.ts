import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keyIn, killGroup, killOne, makeInstallation, type Service, waitUntil } from "../support/process.ts";

const CLEAN_STOP_MS = 10_000;
const installation = makeInstallation();
const fresh = makeInstallation();
let key: string;
/** The account's name, which is written before each end and looked for by every start after it. */
let name = "My account";

before(async () => {
  const service = installation.start();
  await service.ready();
  await waitUntil("the key is printed", () => keyIn(service.stdout()) !== undefined);
  key = keyIn(service.stdout()) ?? "";
  assert.equal((await service.stop()).code, 0);
});
after(() => Promise.all([installation.clear(), fresh.clear()]));

const cleanWays: [string, (service: Service) => void][] = [
  ["Ctrl-C, which a terminal sends to everything in the foreground,", (one) => killGroup(one.pid, "SIGINT")],
  ["SIGTERM to npm alone", (one) => killOne(one.pid, "SIGTERM")],
  ["SIGTERM to npm and node together", (one) => killGroup(one.pid, "SIGTERM")],
];
for (const [way, signal] of cleanWays) {
  test(`${way} stops everything cleanly`, async () => {
    const { service, baseUrl } = await startService("npm");
    await rename(baseUrl, way);
    const sentAt = performance.now();
    signal(service);
    const ended = await service.ended;
    assert.match(ended.stdout, /"message":"stopped"\}\n$/);
    assert.equal(ended.code, 0, ended.stderr);
    assert.ok(performance.now() - sentAt < CLEAN_STOP_MS);
    assert.deepEqual(installation.processes(), []);
  });
}

test("SIGTERM twice within a second is one stop: the request in progress is answered", async () => {
  const { service, baseUrl } = await startService("npm");
  const held = await holdRequest(baseUrl);
  name = "Twice within a second";
  killGroup(service.pid, "SIGTERM");
  await sleep(200);
  killGroup(service.pid, "SIGTERM");
  await sleep(200);
  assert.equal(await held.finish(name), 200);
  assert.equal((await service.ended).code, 0);
  assert.deepEqual(installation.processes(), []);
});

test("a later second signal ends it at once, and the database after it", async () => {
  const { service, baseUrl } = await startService("node");
  await rename(baseUrl, "Signalled twice");
  const held = await holdRequest(baseUrl);
  killOne(service.pid, "SIGINT");
  await sleep(1_200);
  const sentAt = performance.now();
  killOne(service.pid, "SIGINT");
  assert.equal((await service.ended).code, 1);
  assert.ok(performance.now() - sentAt < 1_000);
  held.drop();
  await waitUntil("the database stops", () => installation.processes().length === 0);
});

test("when its terminal is closed, and nobody reads what it says, it stops cleanly", async () => {
  const { service, baseUrl } = await startService("node");
  await rename(baseUrl, "Unheard");
  service.stopReading();
  killOne(service.pid, "SIGHUP");
  assert.equal((await service.ended).code, 0);
  assert.deepEqual(installation.processes(), []);
});

test("when node is killed, the database stops by itself", async () => {
  const { service, baseUrl } = await startService("npm");
  await rename(baseUrl, "Killed");
  killOne(service.nodePid(), "SIGKILL");
  assert.notEqual((await service.ended).code, 0);
  await waitUntil("the database stops", () => installation.processes().length === 0);
});

test("right after node was killed, a start waits for the old database to end, and works", async (t) => {
  const { service, baseUrl } = await startService("node");
  await rename(baseUrl, "Killed and started");
  killOne(service.pid, "SIGKILL");
  const next = await startService("node");
  t.diagnostic(`ready after ${next.service.readyAfterMs()} ms`);
  assert.equal((await next.service.stop()).code, 0);
});

test("after node, guard and database were all killed, a start recovers what was committed", async (t) => {
  const { service, baseUrl } = await startService("node");
  await rename(baseUrl, "All killed");
  for (const pid of service.family()) killOne(pid, "SIGKILL");
  await service.ended;
  const next = await startService("node");
  t.diagnostic(`ready after ${next.service.readyAfterMs()} ms`);
  assert.equal((await next.service.stop()).code, 0);
});

test("SIGTERM while the database is being made stops cleanly, and the next start has it all", async () => {
  const first = fresh.start();
  await waitUntil("initdb is at work", () => existsSync(join(fresh.dataDir, "pg.new/global")));
  const sentAt = performance.now();
  const ended = await first.stop();
  assert.equal(ended.code, 0, ended.stderr);
  assert.ok(performance.now() - sentAt < CLEAN_STOP_MS);
  assert.deepEqual(fresh.processes(), []);
  const next = fresh.start();
  const baseUrl = await next.ready();
  await waitUntil("a key is printed", () => keyIn(ended.stdout + next.stdout()) !== undefined);
  const printed = [keyIn(ended.stdout), keyIn(next.stdout())].filter((one) => one !== undefined);
  assert.equal(printed.length, 1, "one key, by whichever start made it");
  const answer = await fetch(`${baseUrl}/v1/account`, { headers: { authorization: `Bearer ${printed[0]}` } });
  assert.equal(answer.status, 200);
  assert.equal((await next.stop()).code, 0);
});

/** Starts the service, and finds what was written before it last ended, however it ended. */
async function startService(via: "npm" | "node"): Promise<{ service: Service; baseUrl: string }> {
  const service = installation.start({ via });
  const baseUrl = await service.ready();
  const answer = await fetch(`${baseUrl}/v1/account`, { headers: { authorization: `Bearer ${key}` } });
  const account = (await answer.json()) as { name: string };
  assert.equal(account.name, name);
  return { service, baseUrl };
}

async function rename(baseUrl: string, to: string): Promise<void> {
  const held = await holdRequest(baseUrl);
  assert.equal(await held.finish(to), 200);
  name = to;
}

/** Sends a PATCH that the server has begun to answer and whose body it waits for. */
async function holdRequest(baseUrl: string) {
  const headers = {
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
    "transfer-encoding": "chunked",
    expect: "100-continue",
  };
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const sent: ClientRequest = request(
    `${baseUrl}/v1/account`,
    { method: "PATCH", headers, agent: false },
    resolve,
  );
  sent.on("error", reject);
  answered.catch(() => undefined);
  sent.flushHeaders();
  await new Promise((accepted) => sent.once("continue", accepted));
  return {
    async finish(newName: string): Promise<number | undefined> {
      sent.end(JSON.stringify({ name: newName }));
      const answer = await answered;
      answer.resume();
      return answer.statusCode;
    },
    drop: () => sent.destroy(),
  };
}
