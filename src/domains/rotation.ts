/** The rotation of a domain's keys: the standby keys, whose records stand in the DNS already, sign from then on. */
import { recordEvent } from "../events/events.ts";
import type { Ctx, TxCtx } from "../platform/context.ts";
import { AppError, missing } from "../platform/problems.ts";
import { about, algorithmsOf, type EditTools, mustFind, writeEdit } from "./edit.ts";
import { insertKeys, promoteStandby } from "./key-store.ts";
import { type MadeKey, makeKeys } from "./keys.ts";
import { inspect, type LookTools } from "./looks.ts";
import { standbyNotPublished } from "./problems.ts";
import type { Inspection } from "./records/types.ts";
import { type DomainWithKeys, lockDomain } from "./store.ts";

type PreparedRotation = { readonly keys: readonly MadeKey[]; readonly seen: Inspection["keysSeen"] };

/** Makes the next standby keys, and looks whether those of now are still in the DNS. */
export async function prepareRotation(
  ctx: Ctx,
  tools: EditTools & LookTools,
  id: string,
): Promise<PreparedRotation> {
  const domain = await mustFind(ctx, id);
  const [{ keysSeen: seen }, keys] = await Promise.all([
    inspect(tools, domain),
    makeKeys({ ...tools, clock: ctx.clock }, domain, algorithmsOf(domain)),
  ]);
  return { keys, seen };
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
  const standby = row.keys.filter(({ state }) => state === "standby");
  const unpublished = standby.filter(({ selector, seen_at }) => {
    const now = seen.get(selector) ?? "unknown";
    return now === "absent" || (now === "unknown" && seen_at === null);
  });
  // Where Ed25519 was switched on or off meanwhile, the new keys don't match, and the client tries again.
  const isComplete = standby.length === keys.length && standby.length === algorithmsOf(row).length;
  if (unpublished.length > 0 || !isComplete) {
    const names = unpublished.map(({ selector }) => `${selector}._domainkey.${row.name}`);
    throw new AppError(standbyNotPublished, `not in the DNS: ${names.join(", ") || "the newest keys"}`, {
      members: { selectors: unpublished.map(({ selector }) => selector) },
    });
  }
  const now = ctx.clock.now();
  const standbyIds = standby.map((key) => key.id);
  await promoteStandby(ctx.sql, row, standbyIds, now);
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
