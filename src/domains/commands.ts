/** What is done with a domain in several steps, some of them outside a transaction, as commands of the operator's do it too. */
import { recordAct } from "../audit/audit.ts";
import { type Ctx, systemCtx } from "../platform/context.ts";
import type { Queryable } from "../platform/db/db.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { AppError, missing } from "../platform/problems.ts";
import { createDomain, type EditTools, mustFind, prepareDomain } from "./edit.ts";
import { readFacts } from "./facts.ts";
import { prepareRotation, rotateKeys } from "./keys/rotation.ts";
import { type LookTools, lookNow } from "./looks/looks.ts";
import { readDomainName } from "./names.ts";
import { verifiedLately } from "./problems.ts";
import { zoneLines } from "./records/records.ts";
import type { Domain, DomainCreate } from "./schema.ts";
import { shapeDomain } from "./shape.ts";
import { findDomain, findDomainId, noteAsked } from "./store.ts";

export type DomainTools = EditTools & LookTools;

const ASKED_EVERY_MS = 10_000;
/** So many domains of an account are looked at on request within that time. */
const MOST_ASKED = 10;

/** Looks into the DNS because a client asks for it, which it may do once in ten seconds. */
export async function lookOnRequest(ctx: Ctx, tools: DomainTools, id: string): Promise<void> {
  const { verify_asked_at: before } = await mustFind(ctx, id);
  const now = ctx.clock.now();
  const limits = { now, everyMs: ASKED_EVERY_MS, most: MOST_ASKED };
  if (!(await tools.db.transaction((tx) => noteAsked(tx, ctx.accountId, id, limits)))) {
    const waitMs = (before ?? now).getTime() + ASKED_EVERY_MS - now.getTime();
    const seconds = Math.max(1, Math.min(ASKED_EVERY_MS / 1_000, Math.ceil(waitMs / 1_000)));
    throw new AppError(verifiedLately, `ask again in ${seconds} seconds`, {
      headers: { "retry-after": String(seconds) },
    });
  }
  await lookNow(tools, ctx.accountId, id);
}

/** Writes the records of a domain as lines of a zone file. */
export async function zoneOf(ctx: Ctx, tools: DomainTools, id: string): Promise<string> {
  const domain = await mustFind(ctx, id);
  return zoneLines(await readFacts(ctx.sql, tools, domain, domain.keys), domain.records);
}

/** `domains add`: makes the domain and looks at it once. */
export async function makeDomain(
  tools: DomainTools,
  accountId: string,
  input: DomainCreate,
): Promise<Domain> {
  const prepared = await prepareDomain(systemCtx(tools, tools.db, accountId), tools, input);
  await tools.db.transaction(async (tx) => {
    const ctx = systemCtx(tools, tx, accountId);
    await createDomain(ctx, tools, prepared);
    recordAct(ctx, "operator", "domain.created", toPublicId("dom", prepared.id));
  });
  return verifyDomain(tools, accountId, prepared.name);
}

/** `domains check`: looks at the domain now, however lately it was looked at. */
export async function verifyDomain(tools: DomainTools, accountId: string, named: string): Promise<Domain> {
  const id = await findNamed(tools.db, accountId, named);
  await lookNow(tools, accountId, id);
  return shapeNamed(tools.db, accountId, id);
}

/** `domains rotate`. */
export async function rotateDomain(tools: DomainTools, accountId: string, named: string): Promise<Domain> {
  const id = await findNamed(tools.db, accountId, named);
  const prepared = await prepareRotation(systemCtx(tools, tools.db, accountId), tools, id);
  await tools.db.transaction(async (tx) => {
    const ctx = systemCtx(tools, tx, accountId);
    await rotateKeys(ctx, tools, id, prepared);
    recordAct(ctx, "operator", "domain.key_rotated", toPublicId("dom", id));
  });
  return shapeNamed(tools.db, accountId, id);
}

/** `domains zone`. */
export async function domainZone(tools: DomainTools, accountId: string, named: string): Promise<string> {
  const id = await findNamed(tools.db, accountId, named);
  return zoneOf(systemCtx(tools, tools.db, accountId), tools, id);
}

/** A domain is named by its id or by itself. */
async function findNamed(db: Queryable, accountId: string, named: string): Promise<string> {
  if (named.startsWith("dom_")) return requireId("dom", named, "domain");
  const read = readDomainName(named);
  const id = "name" in read ? await findDomainId(db, accountId, read.name) : undefined;
  if (!id) throw missing("domain");
  return id;
}

async function shapeNamed(db: Queryable, accountId: string, id: string): Promise<Domain> {
  const domain = await findDomain(db, accountId, id);
  if (!domain) throw missing("domain");
  return shapeDomain(domain);
}
