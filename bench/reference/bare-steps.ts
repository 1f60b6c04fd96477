/**
 * The reference for steps of automations is, for each 500 runs, one `update` and one `insert` into the journal in one transaction, on tables of the
 * same shape and with the same indexes, and waits for the disk as little as the executor does. It decides nothing, asks nothing of anybody, locks nobody and counts nothing.
 */
import pg from "pg";

const AT_ONCE = 500;

type BareSteps = {
  /** Moves on all that are due, and returns how many. */
  run(): Promise<number>;
  close(): Promise<void>;
};

/** Copies the runs of an automation. */
export async function openBareSteps(
  databaseUrl: string,
  ids: { accountId: string; automationId: string },
  to: string,
): Promise<BareSteps> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("set synchronous_commit = off");
  await client.query("drop table if exists bare_runs, bare_journal");
  await client.query("create table bare_runs (like automation_runs including all)");
  await client.query("create table bare_journal (like automation_journal including all)");
  await client.query("insert into bare_runs select * from automation_runs");
  await client.query("vacuum (analyze) bare_runs");
  await client.query("checkpoint");
  const { rows: runs } = await client.query(
    `select id, visit, version, node, arrived_at from bare_runs
     where account_id = $1 and automation_id = $2 and state = 'active' and due_at <= now() order by due_at`,
    [ids.accountId, ids.automationId],
  );
  return {
    async run() {
      for (let from = 0; from < runs.length; from += AT_ONCE)
        await moveOn(client, ids, runs.slice(from, from + AT_ONCE), to);
      return runs.length;
    },
    async close() {
      await client.query("drop table bare_runs, bare_journal");
      await client.end();
    },
  };
}

type Run = { id: string; visit: number; version: number; node: string; arrived_at: Date };

async function moveOn(
  client: pg.Client,
  { accountId, automationId }: { accountId: string; automationId: string },
  runs: readonly Run[],
  to: string,
): Promise<void> {
  const now = new Date();
  const due = new Date(now.getTime() + 3_600_000);
  await client.query("begin");
  await client.query({
    name: "update",
    text: `update bare_runs r set node = $3, visit = new.visit + 1, arrived_at = $4, due_at = $5, woken_by = 'time'
           from unnest($2::uuid[], $6::smallint[]) as new (id, visit) where r.account_id = $1 and r.id = new.id`,
    values: [accountId, runs.map(({ id }) => id), to, now, due, runs.map(({ visit }) => visit)],
  });
  await client.query({
    name: "insert",
    text: `insert into bare_journal (account_id, run_id, visit, automation_id, version, node, way, reason, arrived_at, left_at)
           select $1, run_id, visit, $2, version, node, 'next', 'time', arrived_at, $3
           from unnest($4::uuid[], $5::smallint[], $6::int[], $7::text[], $8::timestamptz[])
             as new (run_id, visit, version, node, arrived_at)`,
    values: [
      accountId,
      automationId,
      now,
      runs.map(({ id }) => id),
      runs.map(({ visit }) => visit),
      runs.map(({ version }) => version),
      runs.map(({ node }) => node),
      runs.map(({ arrived_at }) => arrived_at),
    ],
  });
  await client.query("commit");
}
