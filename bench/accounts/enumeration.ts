/**
 * Asks whether the answer to an address, or its time, tells whether somebody of the instance has that address. Known and unknown
 * addresses are asked for in turns, each from a network of its own, so that no throttle is met.
 */
import assert from "node:assert/strict";
import { createAccount } from "../../src/accounts/accounts.ts";
import { createPasswords } from "../../src/accounts/people/people.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { sql } from "../../src/platform/db/db.ts";
import { newId } from "../../src/platform/ids.ts";
import type { Result, Setting } from "../harness/bench.ts";
import { median } from "../harness/numbers.ts";
import { type AccountService, type Asked, startAccountService } from "./service.ts";

const TRIES = 400;
const WARM_TRIES = 40;
/**
 * Zero says that the time tells nothing, one that it tells everything. With 400 tries of each kind, equal times give more than
 * 0.1 about once in seventy runs.
 */
const MOST_TOLD = 0.1;

type Way = {
  readonly name: string;
  readonly ask: (service: AccountService, email: string, network: string) => Promise<Asked>;
};

const ways: readonly Way[] = [
  {
    name: "sign-in",
    ask: (service, email, network) =>
      service.ask("/v1/session", { email, password: "not the right one" }, { "x-forwarded-for": network }),
  },
  {
    name: "forgotten password",
    ask: (service, email, network) =>
      service.ask("/v1/password_resets", { email }, { "x-forwarded-for": network }),
  },
  {
    name: "invitation",
    ask: (service, email) =>
      service.ask("/v1/invitations", { email, role: "viewer" }, { authorization: `Bearer ${service.key}` }),
  },
];

/** It has a service of its own: with a server of the instance's, invitations would take another way. */
const signUp: Way = {
  name: "sign-up",
  ask: (service, email, network) =>
    service.ask("/v1/sign_ups", { email, account_name: "Fernhill" }, { "x-forwarded-for": network }),
};
const OPEN_SIGN_UP = {
  SIGN_UP: "open",
  SMTP_URL: "smtp://127.0.0.1:9",
  SYSTEM_FROM: "us@example.com",
  INTERNAL_HOSTS: "127.0.0.1",
};

export async function* enumerationFigures(setting: Setting): AsyncIterable<Result> {
  yield* figuresOf(setting, await startAccountService(setting, "enumeration"), ways);
  yield* figuresOf(setting, await startAccountService(setting, "sign_up", OPEN_SIGN_UP), [signUp]);
}

async function* figuresOf(
  setting: Setting,
  service: AccountService,
  some: readonly Way[],
): AsyncIterable<Result> {
  try {
    const known = await addPeople(service, (TRIES + WARM_TRIES) * some.length);
    for (const [at, way] of some.entries()) {
      setting.note(`${way.name}: ${TRIES} known and ${TRIES} unknown addresses`);
      const first = at * (TRIES + WARM_TRIES);
      yield judge(way, await tryAll(service, way, known.slice(first, first + TRIES + WARM_TRIES), at));
    }
  } finally {
    await service.stop();
  }
}

type Times = { readonly known: readonly number[]; readonly unknown: readonly number[] };

async function tryAll(
  service: AccountService,
  way: Way,
  known: readonly string[],
  at: number,
): Promise<Times> {
  const times = { known: [] as number[], unknown: [] as number[] };
  const shapes = new Set<string>();
  for (const [round, email] of known.entries()) {
    const pair = [
      { kind: "known", email },
      { kind: "unknown", email: email.replace("person", "nobody") },
    ] as const;
    // Whoever is asked for second could have it warmer, so they take turns.
    for (const { kind, email: asked } of round % 2 === 0 ? pair : pair.toReversed()) {
      const network = `10.${at * 2 + (kind === "known" ? 0 : 1)}.${round >> 8}.${round & 255}`;
      const reply = await way.ask(service, asked, network);
      shapes.add(`${reply.status} ${shapeOf(reply.text)}`);
      if (round >= WARM_TRIES) times[kind].push(reply.ms);
    }
  }
  assert.equal(shapes.size, 1, `${way.name}: the answers differ: ${[...shapes].join(" · ")}`);
  return times;
}

/** Leaves out what is new in every answer: ids, times, tokens and the address itself. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/"(id|request_id|instance|link|created_at|updated_at|expires_at)":"[^"]*"/g, '"$1":""')
    .replaceAll(/(person|nobody)\d+@example\.com/g, "");
}

function judge({ name }: Way, { known, unknown }: Times): Result {
  const told = Math.abs(2 * slowerShare(known, unknown) - 1);
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  return {
    figure: {
      name: `${name}: what the time hides`,
      ours: 1 - told,
      reference: null,
      ratio: null,
      asked: 1 - MOST_TOLD,
      ok: told <= MOST_TOLD,
    },
    unit: "share",
    headline: `the time tells ${told.toFixed(3)} of 1 (at most ${MOST_TOLD})`,
    details: [`median of ${known.length} each: known ${ms(median(known))}, unknown ${ms(median(unknown))}`],
  };
}

/** Returns how often a known address is the slower one, of all pairs; equal times count half. */
function slowerShare(known: readonly number[], unknown: readonly number[]): number {
  let slower = 0;
  for (const a of known) for (const b of unknown) slower += a > b ? 1 : a === b ? 0.5 : 0;
  return slower / (known.length * unknown.length);
}

/** Adds people with a password, who belong to another account than the one that is asked. */
async function addPeople({ db }: AccountService, count: number): Promise<string[]> {
  const other = await db.transaction((tx) => createAccount(tx, systemClock, { name: "Neighbour" }));
  const hash = await createPasswords().hash("correct horse battery staple");
  const people = Array.from({ length: count }, (_, at) => ({
    id: newId(systemClock),
    email: `person${at}@example.com`,
  }));
  const now = systemClock.now();
  const ids = people.map(({ id }) => id);
  const emails = people.map(({ email }) => email);
  await db.execute(sql`
    insert into people (id, email, email_key, password_hash, created_at, updated_at)
    select id, email, email, ${hash}, ${now}, ${now}
    from unnest(${ids}::uuid[], ${emails}::text[]) as person (id, email)`);
  await db.execute(sql`
    insert into users (account_id, id, person_id, name, role, created_at, updated_at, joined_at)
    select ${other.account_id}, id, id, '', 'viewer', ${now}, ${now}, ${now} from unnest(${ids}::uuid[]) as id`);
  await db.execute(sql`vacuum analyze people`);
  return emails;
}
