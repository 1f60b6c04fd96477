/** Compares the service over HTTP with a bare Fastify, on the same PostgreSQL and the same rows. */
import { join } from "node:path";
import { systemClock } from "../../src/platform/clock.ts";
import { type Db, sql } from "../../src/platform/db/db.ts";
import { newId, toPublicId } from "../../src/platform/ids.ts";
import { addBenchAccount, openBenchDb } from "../harness/account.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { type Load, runLoad, warmUp } from "../harness/load.ts";
import { measure } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { startService } from "../harness/service.ts";

const CONNECTIONS = 32;
/** The number of objects to read from, so that not every request is for the same row. */
const OBJECTS = 10_000;
const LEAD_IN_SECONDS = 0.3;

type Sides = {
  readonly accountId: string;
  readonly key: string;
  readonly ids: readonly string[];
  readonly ours: { readonly program: Program; readonly port: number };
  readonly reference: { readonly program: Program; readonly port: number };
};

export async function* httpFigures(setting: Setting): AsyncIterable<Result> {
  const url = await setting.postgres.createDatabase("bench_http");
  const seeded = await seed(url);
  const programs: Program[] = [];
  try {
    const ours = await startService({
      databaseUrl: url,
      folder: setting.folder,
      roles: "api",
      env: { RATE_LIMIT_PER_MINUTE: "10000000" },
    });
    programs.push(ours.program);
    const reference = startReference(url, setting.folder);
    programs.push(reference);
    const sides: Sides = {
      ...seeded,
      ours,
      reference: { program: reference, port: await portOfReference(reference) },
    };
    yield await contest("GET one object by id", 0.6, reading(sides), sides, setting);
    yield await contest("POST with an idempotency key", 0.5, writing(sides), sides, setting);
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

type Loads = { readonly ours: Load; readonly reference: Load };

async function contest(
  name: string,
  asked: number,
  loads: Loads,
  sides: Sides,
  setting: Setting,
): Promise<Result> {
  const { postgres, sizes } = setting;
  const turn = (side: "ours" | "reference") => async () => {
    await runLoad(loads[side], LEAD_IN_SECONDS);
    return measure(postgres, sides[side].program.pid, () => runLoad(loads[side], sizes.seconds));
  };
  await warmUp(loads.ours);
  await warmUp(loads.reference);
  const fought: Contest = { name, unit: "request", asked, ours: turn("ours"), reference: turn("reference") };
  return judgeContest(fought, await runInTurns(fought, setting));
}

function reading({ accountId, key, ids, ours, reference }: Sides): Loads {
  const oursRequests = ids.map((id) =>
    get(`/v1/api_keys/${toPublicId("key", id)}`, `authorization: Bearer ${key}\r\n`),
  );
  const referenceRequests = ids.map((id) => get(`/${accountId}/api_keys/${id}`, ""));
  const common = { connections: CONNECTIONS, status: 200 };
  return {
    ours: { ...common, port: ours.port, request: inTurn(oursRequests) },
    reference: { ...common, port: reference.port, request: inTurn(referenceRequests) },
  };
}

function writing({ accountId, key, ours, reference }: Sides): Loads {
  const body = JSON.stringify({ name: "Website", scopes: ["account:read"] });
  const common = { connections: CONNECTIONS, status: 201 };
  let sent = 0;
  const head = `authorization: Bearer ${key}\r\nidempotency-key: bench-`;
  return {
    ours: {
      ...common,
      port: ours.port,
      request: () => post("/v1/api_keys", `${head}${String(++sent).padStart(12, "0")}\r\n`, body),
    },
    reference: { ...common, port: reference.port, request: () => post(`/${accountId}/api_keys`, "", body) },
  };
}

function get(path: string, headers: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${headers}\r\n`;
}

function post(path: string, headers: string, body: string): string {
  return (
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n` +
    `content-length: ${body.length}\r\n${headers}\r\n${body}`
  );
}

/** Takes requests with a stride, so that neighbours in time are no neighbours in the table. */
function inTurn(requests: readonly string[]): () => string {
  let at = 0;
  return () => {
    at = (at + 7_919) % requests.length;
    return requests[at] as string;
  };
}

async function seed(url: string): Promise<Pick<Sides, "accountId" | "key" | "ids">> {
  const db = openBenchDb(url);
  try {
    const { accountId, key } = await addBenchAccount(db);
    return { accountId, key, ids: await insertObjects(db, accountId) };
  } finally {
    await db.close();
  }
}

async function insertObjects(db: Db, accountId: string): Promise<readonly string[]> {
  const ids = Array.from({ length: OBJECTS }, () => newId(systemClock));
  await db.execute(sql`
    insert into api_keys (account_id, id, name, scopes, secret_hash, hint, created_at, updated_at)
    select ${accountId}, id, 'Website', '{account:read}', sha256(uuid_send(id)), 'x7Qd', now(), now()
    from unnest(${ids}::uuid[]) as id`);
  await db.execute(sql`vacuum analyze api_keys`);
  return ids;
}

function startReference(url: string, folder: string): Program {
  const file = join(import.meta.dirname, "../reference/bare-fastify.ts");
  return startProgram({ file, args: [url], cwd: folder });
}

function portOfReference(program: Program): Promise<number> {
  return program.hear((said) => (said as { port?: number }).port);
}
