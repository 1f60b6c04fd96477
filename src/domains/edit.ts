/** What a client does with a domain: make it, change it, delete it. Slow things are prepared before the transaction. */
import { closeAlertsAbout } from "../alerts/alerts.ts";
import { changedFields, recordEvent } from "../events/events.ts";
import type { Clock } from "../platform/clock.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { notify } from "../platform/db/listen.ts";
import { etagOf, requireMatch } from "../platform/http/etag.ts";
import { newId, toPublicId } from "../platform/ids.ts";
import { AppError, invalid, missing, preconditionFailed } from "../platform/problems.ts";
import type { Secrets } from "../platform/secrets.ts";
import { describeRecords, type FactTools, readFacts } from "./facts.ts";
import { insertKeys, type NewKey, retireAlgorithm } from "./keys/key-store.ts";
import { makeKeys } from "./keys/keys.ts";
import { DOMAINS_CHANGED } from "./looks/looks.ts";
import { type Hosts, readDomainName, readHosts } from "./names.ts";
import {
  domainExists,
  domainInUse,
  hostTaken,
  MOST_DOMAINS,
  MOST_RETIRING,
  tooManyDomains,
  tooManyKeys,
} from "./problems.ts";
import type { DomainCreate, DomainPatch, KeyAlgorithm } from "./schema.ts";
import {
  areHostsTaken,
  countDomains,
  type DomainRow,
  type DomainWithKeys,
  findDomain,
  findDomainId,
  insertDomain,
  lockAndCount,
  lockDomain,
  removeDomain,
  updateDomainRow,
} from "./store.ts";

export type EditTools = FactTools & { readonly secrets: Secrets };

/** Names a campaign that isn't over and is from this domain or one below it; null where there is none. */
export type FindCampaignFrom = (db: Queryable, accountId: string, domain: string) => Promise<string | null>;

type PreparedDomain = {
  readonly id: string;
  readonly name: string;
  readonly hosts: Hosts;
  readonly ed25519: boolean;
  readonly keys: readonly NewKey[];
};

const NO_HOSTS: Hosts = { return_path: null, tracking_host: null };

/** Reads the input and makes the keys. */
export async function prepareDomain(
  ctx: Ctx,
  tools: EditTools,
  input: DomainCreate,
): Promise<PreparedDomain> {
  const read = readDomainName(input.name);
  if ("fault" in read) throw invalid({ pointer: "/name", ...read.fault });
  const { hosts, faults } = readHosts(read.name, NO_HOSTS, input);
  if (faults.length > 0) throw invalid(...faults);
  const existing = await findDomainId(ctx.sql, ctx.accountId, read.name);
  if (existing) throw alreadyThere(existing);
  // Keys take long to make, and nobody shall have them made for nothing.
  requireRoom(await countDomains(ctx.sql, ctx.accountId, undefined));
  const { ed25519 = false } = input;
  const domain = { account_id: ctx.accountId, id: newId(ctx.clock), name: read.name };
  const keys = await makePairs(tools, ctx.clock, domain, ed25519 ? ["rsa", "ed25519"] : ["rsa"]);
  return { id: domain.id, name: read.name, hosts, ed25519, keys };
}

export async function createDomain(
  ctx: TxCtx,
  tools: EditTools,
  { id, name, hosts, ed25519, keys }: PreparedDomain,
): Promise<DomainWithKeys> {
  const count = await lockAndCount(ctx.sql, ctx.accountId);
  // Of two requests that come at once, the second finds what the first has made: the domain, before its hosts.
  const existing = await findDomainId(ctx.sql, ctx.accountId, name);
  if (existing) throw alreadyThere(existing);
  requireRoom(count);
  const now = ctx.clock.now();
  const described = { account_id: ctx.accountId, name, ...hosts };
  await requireFreeHosts(ctx, { id, ...hosts });
  const facts = await readFacts(ctx.sql, tools, described, keys);
  const row = await insertDomain(
    ctx.sql,
    {
      ...described,
      id,
      status: "pending",
      return_path_ok: false,
      tracking_ok: false,
      tracking_cname_ok: false,
      ed25519,
      version: 1,
      verified_at: null,
      failing_since: null,
      records: await describeRecords(facts, []),
      dns_host: null,
      checked_at: null,
      looks: 0,
      next_check_at: now,
      watched_until: null,
      verify_asked_at: null,
      created_at: now,
      updated_at: now,
    },
    ctx.actor,
  );
  await insertKeys(ctx.sql, row, keys, now);
  await recordEvent(ctx, { type: "domain.created", data: about(id) });
  return mustFind(ctx, id);
}

/** Makes the keys that an edit needs: switching Ed25519 on wants two. */
export async function prepareEdit(
  ctx: Ctx,
  tools: EditTools,
  id: string,
  patch: DomainPatch,
): Promise<readonly NewKey[]> {
  const domain = await mustFind(ctx, id);
  const isSwitchedOn = patch.ed25519 === true && !domain.ed25519;
  return isSwitchedOn ? makePairs(tools, ctx.clock, domain, ["ed25519"]) : [];
}

export async function updateDomain(
  ctx: TxCtx,
  tools: EditTools,
  id: string,
  patch: DomainPatch,
  keys: readonly NewKey[],
  ifMatch: string | undefined,
): Promise<DomainWithKeys> {
  const row = await lockDomain(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("domain");
  requireMatch(ifMatch, domainEtag(row));
  const { hosts, faults } = readHosts(row.name, row, patch);
  if (faults.length > 0) throw invalid(...faults);
  const content = { ...row, ...hosts, ed25519: patch.ed25519 ?? row.ed25519 };
  const changed = changedFields<Editable>(row, content, EDITABLE);
  if (changed.length === 0) return row;
  await requireFreeHosts(ctx, {
    id,
    return_path: changed.includes("return_path") ? content.return_path : null,
    tracking_host: changed.includes("tracking_host") ? content.tracking_host : null,
  });
  const now = ctx.clock.now();
  if (changed.includes("ed25519")) {
    if (content.ed25519 && keys.length === 0)
      throw new AppError(preconditionFailed, "somebody switched Ed25519 off at the same moment");
    if (content.ed25519) {
      requireFewKeys(row);
      await insertKeys(ctx.sql, row, keys, now);
    } else await retireAlgorithm(ctx.sql, row, "ed25519", now);
  }
  await writeEdit(ctx, tools, {
    ...content,
    return_path_ok: row.return_path_ok && !changed.includes("return_path"),
    tracking_ok: row.tracking_ok && !changed.includes("tracking_host"),
    tracking_cname_ok: row.tracking_cname_ok && !changed.includes("tracking_host"),
  });
  await recordEvent(ctx, { type: "domain.updated", data: { ...about(id), changed } });
  return mustFind(ctx, id);
}

/** Writes a row that was edited, with the records that it now needs. It is looked at soon, and not by what a look under way finds. */
export async function writeEdit(ctx: TxCtx, tools: EditTools, row: DomainRow): Promise<void> {
  const { keys } = await mustFind(ctx, row.id);
  const facts = await readFacts(ctx.sql, tools, row, keys);
  const now = ctx.clock.now();
  const after = {
    ...row,
    version: row.version + 1,
    records: await describeRecords(facts, row.records),
    looks: 0,
    next_check_at: now,
    updated_at: now,
  };
  await updateDomainRow(ctx.sql, after, ctx.actor);
  await notify(ctx.sql, DOMAINS_CHANGED, ctx.accountId);
}

export async function deleteDomain(
  ctx: TxCtx,
  findCampaignFrom: FindCampaignFrom,
  id: string,
): Promise<void> {
  const row = await lockDomain(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("domain");
  const campaignId = await findCampaignFrom(ctx.sql, ctx.accountId, row.name);
  if (campaignId !== null)
    throw new AppError(domainInUse, "a campaign that isn't over is from it", {
      members: { campaign_id: campaignId },
    });
  await removeDomain(ctx.sql, ctx.accountId, id);
  await closeAlertsAbout(ctx, toPublicId("dom", id));
  await recordEvent(ctx, { type: "domain.deleted", data: about(id) });
  await notify(ctx.sql, DOMAINS_CHANGED, ctx.accountId);
}

const EDITABLE = ["return_path", "tracking_host", "ed25519"] as const;
type Editable = Pick<DomainRow, (typeof EDITABLE)[number]>;

export function domainEtag({ return_path, tracking_host, ed25519 }: Editable): string {
  return etagOf({ return_path, tracking_host, ed25519 });
}

/** Makes an active and a standby key of each algorithm. */
async function makePairs(
  { secrets }: EditTools,
  clock: Clock,
  domain: Parameters<typeof makeKeys>[1],
  algorithms: readonly KeyAlgorithm[],
): Promise<readonly NewKey[]> {
  const made = await makeKeys({ secrets, clock }, domain, [...algorithms, ...algorithms]);
  return made.map((key, at) => ({ ...key, state: at < algorithms.length ? "active" : "standby" }));
}

export async function mustFind({ sql, accountId }: Pick<Ctx, "sql" | "accountId">, id: string) {
  const domain = await findDomain(sql, accountId, id);
  if (!domain) throw missing("domain");
  return domain;
}

/** Every key that was ever in use is looked for until it is forgotten, so there can't be any number of them. */
export function requireFewKeys({ keys }: DomainWithKeys): void {
  const former = keys.filter(({ state }) => state === "retiring" || state === "retired").length;
  if (former >= MOST_RETIRING) throw new AppError(tooManyKeys, `there are ${former} former keys already`);
}

function requireRoom(count: number): void {
  if (count >= MOST_DOMAINS) throw new AppError(tooManyDomains, `there are ${count} domains already`);
}

function alreadyThere(id: string): AppError {
  const members = { domain_id: toPublicId("dom", id) };
  return new AppError(domainExists, "the account has this domain already", { members });
}

/**
 * A host is taken by a domain that is proved, or by another one of the account itself. What others merely name keeps nobody from it. Two
 * that both get through are told apart when they are looked at. Whose a host is isn't said: that is nobody else's business.
 */
async function requireFreeHosts(ctx: TxCtx, hosts: Hosts & { readonly id: string }): Promise<void> {
  if (await areHostsTaken(ctx.sql, ctx.accountId, hosts))
    throw new AppError(hostTaken, "the return path or the tracking host is taken already");
}

export function about(id: string) {
  return { domain_id: toPublicId("dom", id) };
}
