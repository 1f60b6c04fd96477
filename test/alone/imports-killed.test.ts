import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createDb, type Db, sql } from "../../src/platform/db/db.ts";
import { createLog } from "../../src/platform/log.ts";
import { cloneDatabase } from "../support/database.ts";
import { upload } from "../support/imports.ts";
import { type Installation, killOne, makeInstallation, type Service } from "../support/process.ts";
import { until } from "../support/until.ts";

const ROWS = 60_000;
const env = { SECRET_KEY: "a secret key for tests of 32 characters or more", LOG_FORMAT: "json" };

let installation: Installation;
let database: Awaited<ReturnType<typeof cloneDatabase>>;
let db: Db;
before(async () => {
  installation = makeInstallation();
  database = await cloneDatabase();
  const log = createLog({ level: "silent", pretty: false });
  db = createDb({
    connection: database.url,
    poolSize: 4,
    applicationName: "test",
    log,
    statementTimeoutMs: 60_000,
  });
});
after(async () => {
  await installation.clear();
  await db.close();
  await database.drop();
});

test("killed and stopped again and again, an import goes on without a row lost or doubled", async (t) => {
  let service: Service = installation.start({ via: "node", env: { ...env, DATABASE_URL: database.url } });
  const baseUrl = await service.ready();
  const [, key = ""] = /API key\s+(pr_\S+)/.exec(await said(service)) ?? [];
  const [, listId = ""] = /First list\s+(lst_\S+)/.exec(service.stdout()) ?? [];
  const made = await upload(
    { baseUrl, key },
    { list_id: listId, on_conflict: "update", tags: ["all"] },
    manyRows(),
  );
  assert.equal(made.status, 202, made.text);

  const positions: number[] = [];
  for (const [share, how] of [
    [0.001, "kill"],
    [0.3, "stop"],
    [0.6, "kill"],
  ] as const) {
    await until(async () => (await position()) >= ROWS * share);
    if (how === "kill") killOne(service.nodePid(), "SIGKILL");
    else assert.equal((await service.stop()).code, 0);
    await service.ended;
    positions.push(await position());
    service = installation.start({ via: "node", env: { ...env, DATABASE_URL: database.url } });
    await service.ready();
  }
  t.diagnostic(`ended at rows ${positions.join(", ")} of ${ROWS}`);
  assert.ok((positions.at(-1) ?? 0) < ROWS, "it was over before the last end");
  await until(async () => (await readImport()).status !== "running");

  const done = await readImport();
  assert.equal(done.status, "completed");
  // Every tenth row repeats one without changing it, and every thousandth is no address.
  const bad = ROWS / 1_000;
  const again = ROWS / 10 - bad;
  assert.deepEqual(
    {
      total: done.total,
      created: done.created,
      updated: done.updated,
      skipped: done.skipped,
      failed: done.failed,
    },
    { total: ROWS, created: ROWS - bad - again, updated: 0, skipped: again, failed: bad },
  );
  const counts = await db.one(sql`
    select (select count(*) from subscribers) as subscribers, (select count(distinct email_key) from subscribers) as addresses,
      (select count(*) from consents) as consents, (select count(*) from subscriber_tags) as tags,
      (select sum(count) from list_counts)::int as counted, (select count(*) from import_errors where result is null) as faults,
      (select count(*) from import_errors where result = 'bad') as unreachable,
      (select count(distinct row_number) from import_errors) as listed, (select count(*) from contacts) as contacts`);
  const people = ROWS - bad - again;
  assert.deepEqual(counts, {
    subscribers: people,
    addresses: people,
    consents: people,
    tags: people,
    counted: people,
    faults: bad,
    // Nobody can have a mailbox at the file's only domain: a row of it is listed once, however often its batch was begun.
    unreachable: done.checked.bad,
    listed: bad + done.checked.bad,
    contacts: people,
  });
  const events = await db.many(sql`select from events where type = 'import.completed'`);
  assert.equal(events.length, 1);
  assert.equal((await service.stop()).code, 0);
});

async function said(service: Service): Promise<string> {
  await until(() => /First list/.test(service.stdout()));
  return service.stdout();
}

function manyRows(): string {
  const lines = ["email,first_name"];
  for (let n = 0; n < ROWS; n++) {
    if (n % 1_000 === 999) lines.push(`nobody${n},Nobody`);
    else if (n % 10 === 9) lines.push(`Person${n - 9}@EXAMPLE.com,Ada`);
    else lines.push(`person${n}@example.com,Ada`);
  }
  return `${lines.join("\n")}\n`;
}

type Seen = { status: string; position: number } & Record<
  "total" | "created" | "updated" | "skipped" | "failed",
  number
> & { checked: { bad: number } };

function readImport(): Promise<Seen> {
  return db.one<Seen>(
    sql`select status, position, total, created, updated, skipped, failed, checked from imports`,
  );
}

async function position(): Promise<number> {
  return (await readImport()).position;
}
