/** Sets up what is measured: databases with people in them, processes of the program on them, and a client of its API. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Setting } from "../harness/bench.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { hearPort } from "../mail/sink.ts";
import { generate } from "../subscribers/generate.ts";
import { campaignOf, type LinkStyle, POSTAL_ADDRESS, PUBLIC_URL } from "./newsletter.ts";

const SECRET_KEY = "a secret key of the bench with 32 characters or more";
/** One in twenty of the generator's people has unsubscribed. */
const MAILABLE = 19 / 20;
const LOOK_EVERY_MS = 50;
const DONE_WITHIN_MS = 300_000;

/** A database with an account, an API key and a list of subscribers. */
export type FilledDatabase = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly key: string;
  readonly listId: string;
  readonly emailOf: (n: number) => string;
  readonly recipients: number;
  query(text: string): Promise<readonly Record<string, unknown>[]>;
};

export async function fillDatabase(
  setting: Setting,
  name: string,
  recipients: number,
): Promise<FilledDatabase> {
  const databaseUrl = await setting.postgres.createDatabase(`bench_${name}`);
  const folder = join(setting.folder, name);
  mkdirSync(folder, { recursive: true });
  const env = { DATABASE_URL: databaseUrl, SECRET_KEY, DATA_DIR: folder, DASHBOARD_BUILD: "never" };
  const { key, listId, emailOf } = await generate(env, Math.ceil(recipients / MAILABLE), setting.note);
  const query = (text: string) => queryOnce(databaseUrl, text);
  // An event row is written for each mail, as for an account with a webhook that asks for them.
  await query("insert into kept_events (account_id, type) select account_id, 'email.sent' from accounts");
  return { folder, env, key, listId, emailOf, recipients, query };
}

async function queryOnce(connectionString: string, text: string) {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

export type Service = {
  readonly program: Program;
  readonly port: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  ask(method: string, path: string, body?: unknown): Promise<any>;
};

export type ServiceOptions = {
  readonly roles: string;
  /** The relay to send to; the sandbox is used where it is absent. */
  readonly relay?: { readonly port: number; readonly connections: number };
  /** The folder for the profiles of the threads, which are written at the end. */
  readonly profileFolder?: string;
};

export async function startService(database: FilledDatabase, options: ServiceOptions): Promise<Service> {
  const { roles, relay, profileFolder } = options;
  const program = startProgram({
    file: join(import.meta.dirname, "app-process.ts"),
    cwd: database.folder,
    env: {
      ...database.env,
      PORT: "0",
      PUBLIC_URL,
      ROLES: roles,
      ...(relay && { SMTP_URL: `smtp://127.0.0.1:${relay.port}?connections=${relay.connections}` }),
      ...(profileFolder && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileFolder}` }),
    },
  });
  const port = await hearPort(program);
  return { program, port, ask: (method, path, body) => ask(port, database.key, method, path, body) };
}

async function ask(port: number, key: string, method: string, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = reply.status === 204 ? undefined : await reply.json();
  if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** The recipients of a campaign: all of the list, or a segment of it. */
export type Audience = { readonly segment_id?: string };

export async function makeCampaign(
  { ask }: Service,
  { listId }: FilledDatabase,
  audience: Audience = {},
  links: LinkStyle = "plain",
): Promise<string> {
  await ask("PATCH", `/lists/${listId}`, { postal_address: POSTAL_ADDRESS });
  return (await ask("POST", "/campaigns", { ...campaignOf(listId, links), ...audience })).id;
}

/** Makes a segment of a percentage of people: everybody has a number of points from 0 to 99. */
export async function makeShare({ ask }: Service, percent: number): Promise<Audience> {
  const rules = { all: [{ field: "fields.points", op: "at_least", value: 100 - percent }] };
  const { id } = await ask("POST", "/segments", { name: `${percent} of a hundred`, rules });
  return { segment_id: id };
}

export type Sent = { readonly recipients: number; readonly seconds: number };

/** Sends a campaign, and measures from the request to the end time that the campaign itself states. */
export async function sendPipelined(service: Service, id: string): Promise<Sent> {
  const askedMs = Date.now();
  await service.ask("POST", `/campaigns/${id}/send`);
  const { finished_at } = await untilStatus(service, id, "sent");
  const { recipients, sent } = await service.ask("GET", `/campaigns/${id}/stats`);
  if (sent !== recipients) throw new Error(`${sent} of ${recipients} were sent`);
  return { recipients, seconds: (Date.parse(finished_at) - askedMs) / 1_000 };
}

export function untilStatus({ ask }: Service, id: string, status: string) {
  return until(`a campaign is ${status}`, async () => {
    const campaign = await ask("GET", `/campaigns/${id}`);
    if (campaign.status === status) return campaign;
    if (campaign.status === "paused" || campaign.status === "failed")
      throw new Error(`a campaign is ${campaign.status}: ${campaign.pause_reason ?? campaign.status_reason}`);
    return undefined;
  });
}

/**
 * Cancels a campaign and waits until a job has gone through all that was planned, so that the next measurement has
 * the machine to itself.
 */
export async function cancelWhole({ ask }: Service, id: string): Promise<void> {
  await ask("POST", `/campaigns/${id}/cancel`);
  await until("a canceled campaign is at rest", async () => {
    const { queued } = await ask("GET", `/campaigns/${id}/stats`);
    return queued === 0 ? true : undefined;
  });
}

export async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const untilMs = performance.now() + DONE_WITHIN_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > untilMs)
      throw new Error(`waited ${DONE_WITHIN_MS / 1_000} s in vain until ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
