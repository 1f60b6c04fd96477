/** Programs identify themselves with API keys. A key is shown once and stored as a hash. */
import { changedFields, recordEvent, recordEvents } from "../../events/events.ts";
import type { Ctx, TxCtx } from "../../platform/context.ts";
import { etagOf, requireMatch } from "../../platform/http/etag.ts";
import type { Principal } from "../../platform/http/route.ts";
import { fromPublicId, newId, toPublicId } from "../../platform/ids.ts";
import { AppError, type Fault, forbidden, invalid, missing } from "../../platform/problems.ts";
import { scopesBeyond, scopesOfKey } from "../scopes.ts";
import { hashKey, makeKey } from "../token-format.ts";
import { announceKeyChange } from "./key-check.ts";
import {
  type ApiKeyRow,
  insertKey,
  lockKey,
  markRevoked,
  type NewKey,
  replaceSecret,
  revokeKeysOf,
  updateKeyRow,
} from "./key-store.ts";
import { areCovered, networksOf, readNetwork } from "./networks.ts";

export {
  announceKeyChange,
  createKeyCheck,
  type KeyCheck,
  scopesOfSecret,
  watchKeyChanges,
} from "./key-check.ts";
export { type ApiKeyRow, countKeys, deleteKeys, findKey, listKeys } from "./key-store.ts";

const HOUR_MS = 3_600_000;

export type KeyInput = {
  name: string;
  scopes: readonly string[];
  expiresAt: Date | null;
  unlimited: boolean;
  /** As `readNetworks` returns them; none is everywhere. */
  allowedNetworks?: readonly string[];
  /** The user who gets to know its secret; without one, nobody of the account, as at the command line. */
  madeBy?: string | null;
};

/** Creates a key. Its text is returned once; only its hash is stored. */
export async function createApiKey(ctx: TxCtx, input: KeyInput): Promise<{ row: ApiKeyRow; key: string }> {
  refusePastExpiry(ctx, input.expiresAt);
  const key = makeKey(ctx.accountId);
  const now = ctx.clock.now();
  const made: NewKey = {
    account_id: ctx.accountId,
    id: newId(ctx.clock),
    name: input.name,
    scopes: [...input.scopes],
    hint: key.slice(-4),
    unlimited: input.unlimited,
    created_at: now,
    updated_at: now,
    last_used_at: null,
    expires_at: input.expiresAt,
    previous_until: null,
    allowed_networks: [...(input.allowedNetworks ?? [])],
    made_by: input.madeBy ?? null,
  };
  const row = await insertKey(ctx.sql, made, hashKey(key), ctx.actor);
  await recordEvent(ctx, { type: "api_key.created", data: about(row.id), isNoticed: true });
  return { row, key };
}

export function refuseWiderScopes(held: readonly string[], wanted: readonly string[]): void {
  const beyond = scopesBeyond(held, scopesOfKey(wanted));
  if (beyond.length > 0) {
    throw new AppError(
      forbidden,
      `nobody can give, prolong or revoke a scope that they lack: ${beyond.join(", ")}`,
      {
        members: { required_scope: beyond[0] },
      },
    );
  }
}

/**
 * Changes a key. `held` are the scopes of the caller, who must hold those of the key: to prolong a key is to hand out
 * its scopes.
 */
export async function updateApiKey(
  ctx: TxCtx,
  held: readonly string[],
  id: string,
  patch: { name?: string; expiresAt?: Date | null; allowedNetworks?: readonly string[] },
  ifMatch: string | undefined,
): Promise<ApiKeyRow> {
  const row = await lockKey(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("API key");
  refuseWiderScopes(held, row.scopes);
  requireMatch(ifMatch, apiKeyEtag(row));
  if (patch.expiresAt) refusePastExpiry(ctx, patch.expiresAt);
  const wanted = {
    ...row,
    name: patch.name ?? row.name,
    expires_at: patch.expiresAt === undefined ? row.expires_at : patch.expiresAt,
    allowed_networks: [...(patch.allowedNetworks ?? row.allowed_networks)],
    updated_at: ctx.clock.now(),
  };
  const fields = changedFields(row, wanted, ["name", "expires_at", "allowed_networks"]);
  if (fields.length === 0) return row;
  const changed = await updateKeyRow(ctx.sql, wanted, ctx.actor);
  await recordEvent(ctx, { type: "api_key.updated", data: { ...about(id), changed: fields } });
  await announceKeyChange(ctx.sql);
  return changed;
}

/**
 * Gives a key another secret, under the same id. The one before works for the time of grace, so that programs can be changed over
 * one by one; a third never works beside them.
 */
export async function rotateApiKey(
  ctx: TxCtx,
  caller: Pick<Principal, "actor" | "makerId" | "scopes" | "expiresAt" | "allowedNetworks">,
  id: string,
  graceHours: number,
): Promise<{ row: ApiKeyRow; key: string }> {
  const row = await lockKey(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("API key");
  // Whoever gets the secret has all that the key can do, for as long and wherever it works.
  refuseWiderScopes(caller.scopes, row.scopes);
  refuseOutliving(caller.expiresAt, row.expires_at);
  refuseOtherNetworks(caller.allowedNetworks, row.allowed_networks);
  const key = makeKey(ctx.accountId);
  const now = ctx.clock.now();
  const previousUntil = new Date(now.getTime() + graceHours * HOUR_MS);
  const madeBy = makerFor(caller);
  const next = { hash: hashKey(key), hint: key.slice(-4), previousUntil, madeBy, at: now };
  const rotated = await replaceSecret(ctx.sql, row, next, ctx.actor);
  await recordEvent(ctx, { type: "api_key.updated", data: { ...about(id), changed: ["key"] } });
  await announceKeyChange(ctx.sql);
  return { row: rotated, key };
}

/** Checks ranges that somebody wrote, and returns each as it is stored. */
export function readNetworks(ranges: readonly string[]): readonly string[] {
  const read = ranges.map(readNetwork);
  const faults = read.flatMap((one, index) =>
    one.ok ? [] : [{ pointer: `/allowed_networks/${index}`, code: one.code, detail: one.detail }],
  );
  if (faults.length > 0) throw invalid(...faults);
  return [...new Set(read.flatMap((one) => (one.ok ? [one.text] : [])))];
}

/** A key that is bound to networks can't free itself, nor make or change another that works elsewhere. */
export function refuseOtherNetworks(
  own: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): void {
  if (!own || wanted === undefined) return;
  const [held, asked] = [own, wanted].map((ranges) => networksOf({ allowed_networks: ranges }));
  if (wanted.length > 0 && areCovered(held ?? [], asked ?? [])) return;
  throw new AppError(
    forbidden,
    "this key is bound to networks, and no key that it makes or changes may work elsewhere",
  );
}

/** Revokes a key, which opens nothing from now on. Its row stays, so that what it did keeps a name. */
export async function revokeApiKey(ctx: TxCtx, held: readonly string[], id: string): Promise<void> {
  const row = await lockKey(ctx.sql, ctx.accountId, id);
  if (!row) throw missing("API key");
  refuseWiderScopes(held, row.scopes);
  await markRevoked(ctx.sql, ctx.accountId, id, ctx.clock.now(), ctx.actor);
  await recordEvent(ctx, { type: "api_key.revoked", data: about(id) });
  await announceKeyChange(ctx.sql);
}

/**
 * Returns who will know a secret that this caller gets: the user who acts, or the one who knows the secret by which a key acts. That is
 * not always the key's maker of now: one who took it over by a rotation doesn't know the secret of before.
 */
export function makerFor({ actor, makerId }: Pick<Principal, "actor" | "makerId">): string | null {
  if (actor.kind === "user" && actor.id) return fromPublicId("usr", actor.id) ?? null;
  return makerId ?? null;
}

/** Ends every key whose secret a user knows who leaves the account. */
export async function endKeysOf(ctx: TxCtx, userId: string): Promise<void> {
  const revoked = await revokeKeysOf(ctx.sql, ctx.accountId, userId, ctx.clock.now(), ctx.actor);
  await recordEvents(
    ctx,
    revoked.map((id) => ({ type: "api_key.revoked" as const, data: about(id) })),
  );
  await announceKeyChange(ctx.sql);
}

/** Describes a key in the event log by its id alone, because people write their own names into the names of keys. */
function about(id: string): { api_key_id: string } {
  return { api_key_id: toPublicId("key", id) };
}

export function apiKeyEtag(row: ApiKeyRow): string {
  return etagOf({
    name: row.name,
    expires_at: row.expires_at,
    allowed_networks: row.allowed_networks,
  });
}

function refusePastExpiry(ctx: Pick<Ctx, "clock">, expiresAt: Date | null): void {
  if (expiresAt && expiresAt <= ctx.clock.now()) {
    const fault: Fault = { pointer: "/expires_at", code: "in_past", detail: "must be in the future" };
    throw invalid(fault);
  }
}

/**
 * A key that expires can't prolong itself, nor create another that outlives it; otherwise its expiry would mean
 * nothing.
 */
export function refuseOutliving(ends: Date | undefined, expiresAt: Date | null | undefined): void {
  if (!ends || expiresAt === undefined || (expiresAt && expiresAt <= ends)) return;
  const why = `this key ends at ${ends.toISOString()}, and no key that it makes or prolongs may outlive it`;
  throw new AppError(forbidden, why);
}
