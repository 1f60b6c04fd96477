/** The rotation of a domain's keys: the standby keys, whose records stand in the DNS already, sign from then on. */
import { recordEvent } from "../../events/events.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { AppError, missing } from "../../platform/problems.ts";
import { about, type EditTools, mustFind, requireFewKeys, writeEdit } from "../edit.ts";
import { readFacts } from "../facts.ts";
import type { LookTools } from "../looks/looks.ts";
import { standbyNotPublished } from "../problems.ts";
import { findKeys } from "../records/records.ts";
import type { Inspection } from "../records/types.ts";
import { type DomainWithKeys, type KeyRow, lockDomain } from "../store.ts";
import { insertKeys, promoteStandby } from "./key-store.ts";
import { type MadeKey, makeKeys } from "./keys.ts";

type KeysSeen = Inspection["keysSeen"];
type PreparedRotation = { readonly keys: readonly MadeKey[]; readonly seen: KeysSeen };

/**
 * Looks whether the standby keys are still in the DNS, and makes the next ones in their place. What will be refused is refused here
 * already, because keys take long to make.
 */
export async function prepareRotation(
  ctx: Ctx,
  tools: EditTools & LookTools,
  id: string,
): Promise<PreparedRotation> {
  const domain = await mustFind(ctx, id);
  const standby = domain.keys.filter(({ state }) => state === "standby");
  const seen = await findKeys(tools, await readFacts(ctx.sql, tools, domain, standby));
  const algorithms = chooseKeys(domain, seen).map(({ algorithm }) => algorithm);
  return { keys: await makeKeys({ ...tools, clock: ctx.clock }, domain, algorithms), seen };
}

/** The standby keys sign from now on. All of it is one transaction, so no moment has two active keys, or none. */
export async function rotateKeys(
  ctx: TxCtx,
  tools: EditTools,
  id: string,
  { keys, seen }: PreparedRotation,
): Promise<DomainWithKeys> {
  const row = await lockDomain(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("domain");
  const chosen = chooseKeys(row, seen);
  const areMatching =
    chosen.length === keys.length &&
    chosen.every(({ algorithm }) => keys.some((key) => key.algorithm === algorithm));
  // Somebody rotated them, or switched Ed25519 on or off, at the same moment: the client tries again.
  if (!areMatching) throw notPublished(row, []);
  const now = ctx.clock.now();
  await promoteStandby(ctx.sql, row, chosen, now);
  await insertKeys(
    ctx.sql,
    row,
    keys.map((key) => ({ ...key, state: "standby" })),
    now,
  );
  await writeEdit(ctx, tools, row);
  await recordEvent(ctx, { type: "domain.key_rotated", data: about(id) });
  return mustFind(ctx, id);
}

/**
 * Chooses the standby keys that take over, and throws where the one of RSA isn't in the DNS. The one of Ed25519, which is an addition,
 * waits for another time where it isn't there, and the active one goes on.
 */
function chooseKeys(domain: DomainWithKeys, seen: KeysSeen): readonly KeyRow[] {
  requireFewKeys(domain);
  const standby = domain.keys.filter(({ state }) => state === "standby");
  const isPublished = ({ selector, seen_at }: KeyRow): boolean => {
    const now = seen.get(selector) ?? "unknown";
    return now === "present" || (now === "unknown" && seen_at !== null);
  };
  const published = standby.filter(isPublished);
  if (!published.some(({ algorithm }) => algorithm === "rsa"))
    throw notPublished(
      domain,
      standby.filter(({ algorithm }) => algorithm === "rsa"),
    );
  return published;
}

function notPublished({ name }: DomainWithKeys, unpublished: readonly KeyRow[]): AppError {
  const names = unpublished.map(({ selector }) => `${selector}._domainkey.${name}`);
  return new AppError(standbyNotPublished, `not in the DNS: ${names.join(", ") || "the newest keys"}`, {
    members: { selectors: unpublished.map(({ selector }) => selector) },
  });
}
