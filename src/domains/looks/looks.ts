/**
 * Looks into the DNS for a domain, and writes down what follows. The DNS is asked outside any transaction, under a lease; a process that
 * dies meanwhile has written nothing, and another looks again when the lease has run out.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { closeAlert, openAlert } from "../../alerts/alerts.ts";
import { recordEvent } from "../../events/events.ts";
import type { Clock } from "../../platform/clock.ts";
import { systemCtx, type TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { isUniqueViolation } from "../../platform/db/errors.ts";
import { notify } from "../../platform/db/listen.ts";
import type { Dns } from "../../platform/dns.ts";
import { toPublicId } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import type { Secrets } from "../../platform/secrets.ts";
import { type FactTools, readFacts } from "../facts.ts";
import { type KeyChange, removeKeys, updateKeys } from "../keys/key-store.ts";
import { inspectRecords, keepProposals } from "../records/records.ts";
import type { DomainRecord, FetchTracking, Inspection } from "../records/types.ts";
import { type DomainWithKeys, findDomain, type KeyRow } from "../store.ts";
import {
  claimOne,
  findHeldHosts,
  type HeldHosts,
  type Lease,
  lockLeased,
  release,
  wasLookedAt,
  writeFinding,
} from "./look-store.ts";
import { failingUntil, nextKeyLife, nextLook, nextStanding, type Seen } from "./status.ts";
import { canOpenKeys, tellOfKeys } from "./unreadable-keys.ts";

/** A notification on this channel says that what an account's mail is signed by, or leads over, has changed. */
export const DOMAINS_CHANGED = "postrider_domains";

export type LookTools = FactTools & {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Log;
  readonly dns: Dns;
  readonly secrets: Pick<Secrets, "open">;
  readonly fetchTracking: FetchTracking;
};

/** Servers that are silent take seconds for each record. What isn't known by then is unknown. */
const LONGEST_LOOK_MS = 40_000;

/** Looks at a domain that was claimed. Only errors of the database are thrown, and then the lease runs out. */
export async function lookAt(tools: LookTools, lease: Lease): Promise<void> {
  const { db } = tools;
  const domain = await findDomain(db, lease.account_id, lease.id);
  if (!domain) return;
  const found = await inspect(tools, domain);
  const write = () =>
    db.transaction(async (tx) => {
      const row = await lockLeased(tx, lease);
      if (!row) return;
      // What was found is of other hosts or keys than those that the domain now has.
      if (row.version !== domain.version) return release(tx, lease);
      await writeDown(systemCtx(tools, tx, lease.account_id), tools.secrets, lease, row, found);
    });
  await write().catch((error) => {
    // Another domain began to use the same host at the same moment. Its row is there now, and is found.
    if (!USED_HOSTS.some((index) => isUniqueViolation(error, index))) throw error;
    return write();
  });
}

const USED_HOSTS = ["domains_return_path_used", "domains_tracking_host_used"];

/** Asks the DNS for all that a domain needs. Without an answer in time nothing is known. */
async function inspect(tools: LookTools, domain: DomainWithKeys): Promise<Inspection> {
  const facts = await readFacts(tools.db, tools, domain, domain.keys);
  const timer = new AbortController();
  const nothing: Inspection = { records: domain.records, dnsHost: domain.dns_host, keysSeen: new Map() };
  try {
    return await Promise.race([
      inspectRecords(tools, facts),
      sleep(LONGEST_LOOK_MS, nothing, { signal: timer.signal, ref: false }),
    ]);
  } finally {
    timer.abort();
  }
}

async function writeDown(
  ctx: TxCtx,
  secrets: LookTools["secrets"],
  lease: Lease,
  row: DomainWithKeys,
  found: Inspection,
): Promise<void> {
  const now = ctx.clock.now();
  const seenOf = ({ selector }: KeyRow): Seen => found.keysSeen.get(selector) ?? "unknown";
  const proving = row.keys.find(({ state, algorithm }) => state === "active" && algorithm === "rsa");
  const before = { status: row.status, failingSince: row.failing_since };
  const after = nextStanding(before, proving ? seenOf(proving) : "unknown", now);
  const held = await findHeldHosts(ctx.sql, row);
  const hosts = {
    return_path_ok: isOk(found.records, "return_path", row.return_path_ok) && !held.return_path,
    tracking_ok: isOk(found.records, "tracking", row.tracking_ok) && !held.tracking_host,
    tracking_cname_ok: isCnameOk(found.records, row.tracking_cname_ok),
  };
  const keys = await writeKeys(ctx, row, seenOf, now);
  const areReadable = await canOpenKeys(ctx.sql, secrets, row);
  const isSettled =
    keys.areSettled &&
    areReadable &&
    (row.return_path === null || hosts.return_path_ok) &&
    (row.tracking_host === null || hosts.tracking_ok);
  const next = nextLook(
    { ...after, looks: after.isChanged ? 0 : row.looks, isSettled, watchedUntil: row.watched_until },
    now,
  );
  const isNews =
    after.isChanged ||
    keys.areChanged ||
    hosts.return_path_ok !== row.return_path_ok ||
    hosts.tracking_ok !== row.tracking_ok;
  await writeFinding(ctx.sql, lease, {
    status: after.status,
    verified_at: after.isChanged && after.status === "verified" ? now : row.verified_at,
    failing_since: after.failingSince,
    ...hosts,
    records: keepProposals(found.records, row.records).map((record) => toHeld(record, held)),
    dns_host: found.dnsHost,
    checked_at: now,
    looks: next.looks,
    next_check_at: next.at,
    isNews,
  });
  if (after.isChanged) await tellOf(ctx, row, after);
  await tellOfKeys(ctx, row, areReadable);
  if (isNews) await notify(ctx.sql, DOMAINS_CHANGED, row.account_id);
}

/** Two accounts may both prove a domain, and then the host is the one's that used it first. */
function toHeld(record: DomainRecord, held: HeldHosts): DomainRecord {
  const isHeld =
    (record.kind === "return_path" && held.return_path) || (record.kind === "tracking" && held.tracking_host);
  if (!isHeld) return record;
  const advice = "Another domain here that is proved uses this host already. Choose another name for it.";
  return { ...record, status: "wrong", advice };
}

/** A host's record that nobody answered for stays what it was. */
function isOk(records: readonly DomainRecord[], kind: DomainRecord["kind"], before: boolean): boolean {
  const ofKind = records.filter((record) => record.kind === kind);
  if (ofKind.length === 0) return false;
  if (ofKind.every(({ status }) => status === "ok")) return true;
  return ofKind.every(({ status }) => status === "ok" || status === "unknown") && before;
}

function isCnameOk(records: readonly DomainRecord[], before: boolean): boolean {
  const tracking = records.find(({ kind }) => kind === "tracking");
  return tracking ? (tracking.details?.cname_ok ?? before) : false;
}

/** Writes only keys of which something has changed. */
async function writeKeys(
  ctx: TxCtx,
  row: DomainWithKeys,
  seenOf: (key: KeyRow) => Seen,
  now: Date,
): Promise<{ readonly areChanged: boolean; readonly areSettled: boolean }> {
  const changed: KeyChange[] = [];
  const forgotten: string[] = [];
  let areSettled = true;
  for (const key of row.keys) {
    const { state, seen_at: seenAt, retiring_since: retiringSince } = key;
    const life = nextKeyLife({ state, seenAt, retiringSince }, seenOf(key), now);
    if (!life) forgotten.push(key.id);
    else if (life.state !== state || life.seenAt?.getTime() !== seenAt?.getTime())
      changed.push({ id: key.id, state: life.state, seen_at: life.seenAt });
    const isNeeded = key.algorithm === "rsa" && (state === "active" || state === "standby");
    if (isNeeded && seenOf(key) !== "present") areSettled = false;
  }
  await updateKeys(ctx.sql, row, changed);
  await removeKeys(ctx.sql, row, forgotten);
  return { areChanged: changed.length + forgotten.length > 0, areSettled };
}

async function tellOf(
  ctx: TxCtx,
  { id, name }: DomainWithKeys,
  after: ReturnType<typeof nextStanding>,
): Promise<void> {
  const domainId = toPublicId("dom", id);
  const data = { domain_id: domainId };
  const until = failingUntil(after);
  const remedy =
    "Publish the record of the active key again, as the domain's page shows it. The domain is looked at by itself.";
  if (after.status === "verified") {
    await recordEvent(ctx, { type: "domain.verified", data });
    await closeAlert(ctx, "domain_failing", domainId);
    await closeAlert(ctx, "domain_unverified", domainId);
  } else if (after.status === "failing" && until) {
    await recordEvent(ctx, {
      type: "domain.failing",
      data: { ...data, failing_until: until.toISOString() },
    });
    await openAlert(ctx, {
      kind: "domain_failing",
      subject: domainId,
      severity: "warning",
      title: `The key of ${name} is gone from the DNS`,
      detail: `Mail from ${name} can't be signed any more. It goes on until ${until.toISOString()}; then the domain is unverified.`,
      remedy,
      data: { ...data, failing_until: until.toISOString() },
    });
  } else if (after.status === "unverified") {
    await recordEvent(ctx, { type: "domain.unverified", data });
    await closeAlert(ctx, "domain_failing", domainId);
    await openAlert(ctx, {
      kind: "domain_unverified",
      subject: domainId,
      severity: "critical",
      title: `${name} is unverified`,
      detail: `The key of ${name} has been gone from the DNS for three days, so nothing proves any more that the domain is yours.`,
      remedy,
      data,
    });
  }
}

const CLAIM_EVERY_MS = 200;

/**
 * Looks at once, because somebody asks for it. Where another process looks at this moment, its look is waited for, as long as a
 * lease lasts at most.
 */
export async function lookNow(tools: LookTools, accountId: string, id: string): Promise<void> {
  const { db, clock } = tools;
  const since = clock.now();
  const deadlineMs = performance.now() + LONGEST_LOOK_MS;
  while (performance.now() < deadlineMs) {
    const lease = await claimOne(db, accountId, id);
    if (lease) return lookAt(tools, lease);
    await sleep(CLAIM_EVERY_MS);
    if (await wasLookedAt(db, accountId, id, since)) return;
  }
}
