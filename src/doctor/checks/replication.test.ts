import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { until } from "../../../test/support/until.ts";
import { createDb, type DbOptions, sql } from "../../platform/db/db.ts";
import { startEmbeddedPostgres } from "../../platform/db/embedded/embedded.ts";
import { readOnly, type Status } from "../check.ts";
import { silent } from "../support.fixture.ts";
import { judgeReplication, type Replication, readReplication } from "./replication.ts";

const ALONE: Replication = {
  isEmbedded: false,
  isStandby: false,
  synchronousNames: "",
  synchronousCommit: "on",
  standbys: [],
};

test("what a failover would lose is judged", () => {
  const standby = (sync: string | null, name = "b") => ({ name, sync });
  const cases: [Partial<Replication>, Status, RegExp][] = [
    [{ isEmbedded: true }, "info", /embedded database has no standby/],
    [{}, "info", /no standby is connected/],
    [{ isStandby: true }, "fail", /takes no writes/],
    [{ synchronousNames: "*" }, "fail", /every commit waits/],
    [{ synchronousNames: "*", synchronousCommit: "local" }, "info", /no standby is connected/],
    [{ standbys: [standby("async")] }, "warn", /no standby is synchronous \(b\)/],
    [{ standbys: [standby("async"), standby("sync", "c")] }, "ok", /synchronous standby \(c\)/],
    [{ standbys: [standby("quorum"), standby("quorum", "c")] }, "ok", /\(b, c\)/],
    [{ standbys: [standby("potential")] }, "warn", /no standby is synchronous/],
    [{ standbys: [standby("sync")], synchronousCommit: "local" }, "warn", /synchronous_commit is local/],
    [{ standbys: [standby(null)] }, "info", /may not see/],
  ];
  for (const [change, status, finding] of cases) {
    const result = judgeReplication({ ...ALONE, ...change });
    assert.equal(result.status, status, JSON.stringify(change));
    assert.match(result.finding, finding);
  }
});

test("a real server tells of its standbys, asynchronous and synchronous", async (t) => {
  const connection = await startServer(t);
  const db = createDb({
    connection,
    poolSize: 3,
    applicationName: "test",
    log: silent,
    statementTimeoutMs: 10_000,
  });
  const judge = async () => judgeReplication(await readOnly(db)((tx) => readReplication(tx, false)));
  assert.equal((await judge()).status, "info");

  const standby = await streamAs(connection, "b");
  await until(async () => (await judge()).status === "warn");
  assert.match((await judge()).finding, /no standby is synchronous \(b\)/);

  await db.execute(sql`alter system set synchronous_standby_names = 'ANY 1 (b)'`);
  await db.execute(sql`select pg_reload_conf()`);
  await until(async () => (await judge()).status === "ok");

  await standby.end();
  await until(async () => (await judge()).status === "fail");
  assert.match((await judge()).finding, /every commit waits/);
  await db.close();
});

async function startServer(t: TestContext): Promise<Exclude<DbOptions["connection"], string>> {
  const dataDir = await mkdtemp(join(tmpdir(), "postrider-doctor-"));
  const postgres = await startEmbeddedPostgres({ dataDir, log: silent, settings: { fsync: "off" } });
  t.after(async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10 });
  });
  return postgres.connection;
}

type Dispatcher = { on(event: string, listener: () => void): void; sendCopyFromChunk(bytes: Buffer): void };

/** The server takes this for a standby: it reads the stream and reports that all of it is on its disk. */
async function streamAs(
  connection: Exclude<DbOptions["connection"], string>,
  name: string,
): Promise<{ end(): Promise<void> }> {
  const options = { ...connection, application_name: name, replication: "true" };
  const client = new pg.Client(options as pg.ClientConfig);
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query("IDENTIFY_SYSTEM");
  client.query(`START_REPLICATION PHYSICAL ${rows[0].xlogpos}`).catch(() => undefined);
  const wire = (client as unknown as { connection: Dispatcher }).connection;
  await new Promise<void>((resolve) => wire.on("replicationStart", resolve));
  // The standby status update says: written, flushed and applied up to here, at time 0, no reply wanted.
  const update = Buffer.alloc(34);
  update.write("r");
  const [high = "", low = ""] = String(rows[0].xlogpos).split("/");
  const position = (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
  for (const at of [1, 9, 17]) update.writeBigUInt64BE(position, at);
  wire.sendCopyFromChunk(update);
  return { end: () => client.end().catch(() => undefined) };
}
