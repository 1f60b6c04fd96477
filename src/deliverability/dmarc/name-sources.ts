/**
 * Finds out who is behind the addresses that reports tell of, by their PTR records. It runs as a job, since an answer of the DNS may
 * take seconds, and a stranger's report may name any number of addresses.
 */
import { readIp } from "../../mail/dmarc-reports/fields.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Dns } from "../../platform/dns.ts";
import { addJob, type JobCtx } from "../../platform/jobs/jobs.ts";
import { keyOfNaming, nameSourcesKind } from "./job-kinds.ts";
import { serviceOf } from "./services.ts";
import { countLookedUp, type LookedUp, listDueSources, writeLookedUp } from "./source-store.ts";
import { type OwnAddresses, watchSources } from "./watch-sources.ts";

export type NamingTools = { readonly dns: Dns; readonly ownAddresses: OwnAddresses };

const AT_ONCE = 8;
const MOST_A_RUN = 100;
/** A report that somebody made up names at most so many strangers a day whom we ask about. */
const MOST_A_DAY = 2_000;
/** Of the names that an address has, so many are tried. */
const MOST_NAMES = 3;
const PAUSE_MS = 5_000;
const DAY_MS = 24 * 3_600_000;
const KNOWN_FOR_MS = 30 * DAY_MS;
const AGAIN_AFTER_FAILURE_MS = 6 * 3_600_000;

export async function nameSources(job: JobCtx, tools: NamingTools, accountId: string): Promise<void> {
  const { db, clock, log, signal } = job;
  const now = clock.now();
  const asked = await countLookedUp(db, accountId, new Date(now.getTime() - DAY_MS));
  const most = Math.min(MOST_A_RUN, MOST_A_DAY - asked);
  const due = most > 0 ? await listDueSources(db, accountId, { now, most }) : [];
  const found: LookedUp[] = [];
  for (let at = 0; at < due.length && !signal.aborted; at += AT_ONCE)
    found.push(...(await Promise.all(due.slice(at, at + AT_ONCE).map((ip) => lookUp(tools.dns, ip, now)))));
  if (found.length > 0) await writeLookedUp(db, accountId, found, now);
  await db.transaction((tx) => watchSources(systemCtx({ clock, log }, tx, accountId), tools.ownAddresses));
  if (due.length < MOST_A_RUN) return;
  const payload = { account_id: accountId };
  const runAt = new Date(clock.now().getTime() + PAUSE_MS);
  await addJob(db, nameSourcesKind, payload, { key: keyOfNaming(payload), runAt });
}

async function lookUp(dns: Dns, ip: string, now: Date): Promise<LookedUp> {
  const until = (ms: number) => new Date(now.getTime() + ms);
  const failed = { ip, host: null, service: null, isFailed: true, nextLookAt: until(AGAIN_AFTER_FAILURE_MS) };
  const names = await dns.ptr(ip);
  if (names.kind === "failed") return failed;
  let isFailed = false;
  for (const host of names.kind === "found" ? names.values.slice(0, MOST_NAMES) : []) {
    const addresses = ip.includes(":") ? await dns.aaaa(host) : await dns.a(host);
    if (addresses.kind === "failed") isFailed = true;
    if (addresses.kind === "found" && addresses.values.some((one) => readIp(one) === readIp(ip)))
      return { ip, host, service: serviceOf(host) ?? null, isFailed: false, nextLookAt: until(KNOWN_FOR_MS) };
  }
  return isFailed
    ? failed
    : { ip, host: null, service: null, isFailed: false, nextLookAt: until(KNOWN_FOR_MS) };
}
