/** Compares clicks that are stored before they are answered with a bare server that answers the same redirect and stores nothing. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createAccount } from "../../src/accounts/accounts.ts";
import { createLinkTokens } from "../../src/messages/messages.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { createDb, sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { agreeOnSecrets } from "../../src/platform/instance.ts";
import { createLog } from "../../src/platform/log.ts";
import { createSecrets } from "../../src/platform/secrets.ts";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { type Load, runLoad, warmUp } from "../harness/load.ts";
import { measure } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { countMillion } from "./million.ts";

const SECRET_KEY = "a secret key for benches of 32 characters or more";
const CONNECTIONS = 64;
const PEOPLE = 20_000;
const LEAD_IN_SECONDS = 0.3;
const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0";

export const trackingBench: Bench = {
  name: "tracking",
  summary: "clicks, stored before they are answered, against a bare redirect",
  parts: ["clicks", "million"],
  async *run(setting) {
    if (setting.part !== "million") yield* runTracking(setting);
    if (setting.part !== "clicks") yield* countMillion(setting);
  },
};

async function* runTracking(setting: Setting): AsyncIterable<Result> {
  const url = await setting.postgres.createDatabase("bench_tracking");
  const paths = await seed(url);
  const programs: Program[] = [];
  try {
    const ours = startService(url, setting.folder);
    programs.push(ours);
    const file = join(import.meta.dirname, "../reference/bare-redirect.ts");
    const reference = startProgram({ file, cwd: setting.folder });
    programs.push(reference);
    const [oursPort, referencePort] = await Promise.all([
      portOfService(ours),
      reference.hear((said) => (said as { port?: number }).port),
    ]);
    const loads = { ours: loadOf(oursPort, paths), reference: loadOf(referencePort, paths) };
    const run = (side: "ours" | "reference", program: Program) => async () => {
      await runLoad(loads[side], LEAD_IN_SECONDS);
      return measure(setting.postgres, program.pid, () => runLoad(loads[side], setting.sizes.seconds));
    };
    await warmUp(loads.ours);
    await warmUp(loads.reference);
    const contest: Contest = {
      name: "clicks, stored before the answer",
      unit: "click",
      asked: 0.5,
      ours: run("ours", ours),
      reference: run("reference", reference),
    };
    yield judgeContest(contest, await runInTurns(contest, setting));
  } finally {
    await Promise.all(programs.map((program) => program.stop()));
  }
}

function loadOf(port: number, paths: readonly string[]): Load {
  let at = 0;
  const request = () => {
    at = (at + 7_919) % paths.length;
    return `GET ${paths[at]} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: ${BROWSER}\r\n\r\n`;
  };
  return { connections: CONNECTIONS, status: 302, port, request };
}

/** Makes a source with a revision of three links, and the address of a link for each of its recipients. */
async function seed(url: string): Promise<readonly string[]> {
  const log = createLog({ level: "warn", pretty: false, destination: process.stderr });
  const db = createDb({
    connection: url,
    poolSize: 4,
    applicationName: "bench",
    log,
    statementTimeoutMs: 60_000,
  });
  try {
    const { linkKey } = await agreeOnSecrets(db, createSecrets([SECRET_KEY]));
    const account = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Bench" }));
    const accountId = account.account_id;
    const [sourceId, revisionId] = [newId(systemClock), newId(systemClock)];
    const links = [0, 1, 2].map((index) => ({
      index,
      url: `https://example.com/${index}`,
      isDynamic: false,
    }));
    await db.execute(sql`
      insert into revisions (account_id, id, digest, content, created_at)
      values (${accountId}, ${revisionId}, ''::bytea, ${JSON.stringify({ compiled: { links } })}::jsonb, now())`);
    await db.execute(sql`
      insert into sources (account_id, id, owner_id, stream, transport_id, state, revision_id, on_ambiguous, launched_at)
      values (${accountId}, ${sourceId}, ${sourceId}, 'campaign', ${sourceId}, 'finished', ${revisionId}, 'resend', now())`);
    const tokenOf = createLinkTokens(linkKey).makerFor(accountId, sourceId);
    return Array.from({ length: PEOPLE }, (_, n) => `/c/${tokenOf(newId(systemClock))}/${n % 3}`);
  } finally {
    await db.close();
  }
}

function startService(url: string, folder: string): Program {
  const cwd = join(folder, "service");
  mkdirSync(cwd);
  return startProgram({
    file: join(import.meta.dirname, "../../src/main.ts"),
    cwd,
    env: { PORT: "0", DATA_DIR: cwd, DATABASE_URL: url, SECRET_KEY, ROLES: "public", LOG_FORMAT: "json" },
  });
}

function portOfService(program: Program): Promise<number> {
  return program.hear((said) => {
    const port = /"address":"http:[^"]*:(\d+)".*"message":"ready"/.exec(String(said))?.[1];
    return port === undefined ? undefined : Number(port);
  });
}
