/** Knows the numbers of flows, and gives new flows a number. A sender has one, and asks it for every message. */
import type { Clock } from "../../platform/clock.ts";
import { textArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql, type Writable } from "../../platform/db/db.ts";
import { createLruCache } from "../../platform/lru-cache.ts";

/** A flow is the mail that leaves by one transport, from one domain, to the mailboxes of one provider. */
export type FlowName = {
  readonly transportId: string;
  /** The domain in From, in lower case. */
  readonly fromDomain: string;
  /** A key of the table of mailbox providers, or `other`. */
  readonly provider: string;
};

export type FlowDirectory = {
  /** Finds or makes the flows that aren't remembered; it is called before `of`, for many at once. */
  load(accountId: string, flows: readonly FlowName[]): Promise<void>;
  /** Returns the number of a flow from memory alone. */
  of(accountId: string, flow: FlowName): number | undefined;
};

const MOST_KNOWN = 20_000;
/** Mail from further domains of an account is counted together, under ''. */
const MOST_DOMAINS = 200;
/** No name in the DNS is longer (RFC 1035 §2.3.4). */
const LONGEST_DOMAIN = 253;

export function createFlowDirectory(db: Writable, clock: Clock): FlowDirectory {
  const remembered = createLruCache<number>(MOST_KNOWN);

  async function find(accountId: string, names: readonly FlowName[]): Promise<void> {
    const allowed = await allowedDomains(db, accountId, names);
    const placed = names.map((one) => (allowed.has(one.fromDomain) ? one : { ...one, fromDomain: "" }));
    await addFlows(db, accountId, placed, clock.now());
    const ids = new Map(
      (await findFlows(db, accountId, placed)).map((one) => [keyOf(accountId, one), one.id]),
    );
    for (const [at, name] of names.entries()) {
      const id = ids.get(keyOf(accountId, placed[at] as FlowName));
      if (id !== undefined) remembered.set(keyOf(accountId, name), id);
    }
  }

  return {
    async load(accountId, flows) {
      const unknown = new Map<string, FlowName>();
      for (const flow of flows) {
        const key = keyOf(accountId, flow);
        if (!unknown.has(key) && remembered.get(key) === undefined) unknown.set(key, flow);
      }
      if (unknown.size > 0) await find(accountId, [...unknown.values()]);
    },
    of: (accountId, flow) => remembered.get(keyOf(accountId, flow)),
  };
}

function keyOf(accountId: string, { transportId, fromDomain, provider }: FlowName): string {
  return `${accountId} ${transportId} ${provider} ${fromDomain}`;
}

/** Returns those of the domains that are counted by themselves: the ones that are so already, and new ones while there is room. */
async function allowedDomains(
  db: Queryable,
  accountId: string,
  names: readonly FlowName[],
): Promise<ReadonlySet<string>> {
  const rows = await db.many<{ domain: string }>(sql`
    select distinct from_domain as domain from mail_flows where account_id = ${accountId} and from_domain <> ''`);
  const known = new Set(rows.map(({ domain }) => domain));
  for (const { fromDomain } of names)
    if (known.size < MOST_DOMAINS && fromDomain.length <= LONGEST_DOMAIN) known.add(fromDomain);
  return known;
}

const given = (names: readonly FlowName[]) => sql`
  unnest(${names.map((one) => one.transportId)}::uuid[], ${textArray(names.map((one) => one.fromDomain))}::text[],
         ${textArray(names.map((one) => one.provider))}::text[]) as g (transport_id, from_domain, provider)`;

/** In one order, so that two who add the same never wait for each other in a circle. Known ones use up no number. */
async function addFlows(
  db: Writable,
  accountId: string,
  names: readonly FlowName[],
  now: Date,
): Promise<void> {
  await db.execute(sql`
    insert into mail_flows (account_id, transport_id, from_domain, provider, created_at)
    select distinct ${accountId}::uuid, g.transport_id, g.from_domain, g.provider, ${now}::timestamptz from ${given(names)}
    where not exists (
      select from mail_flows f where f.account_id = ${accountId} and f.transport_id = g.transport_id
        and f.from_domain = g.from_domain and f.provider = g.provider)
    order by 2, 3, 4 on conflict do nothing`);
}

function findFlows(
  db: Queryable,
  accountId: string,
  names: readonly FlowName[],
): Promise<(FlowName & { readonly id: number })[]> {
  return db.many(sql`
    select f.id, f.transport_id as "transportId", f.from_domain as "fromDomain", f.provider from ${given(names)}
    join mail_flows f on f.account_id = ${accountId} and f.transport_id = g.transport_id
      and f.from_domain = g.from_domain and f.provider = g.provider`);
}
