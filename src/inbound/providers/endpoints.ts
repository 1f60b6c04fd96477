/** Makes, rotates and deletes the addresses that providers post to. */
import { hashToken, makeToken } from "../../accounts/accounts.ts";
import { recordEvent } from "../../events/events.ts";
import type { TxCtx } from "../../platform/context.ts";
import type { Db } from "../../platform/db/db.ts";
import { newId, toPublicId } from "../../platform/ids.ts";
import { invalid, missing } from "../../platform/problems.ts";
import type { Secrets } from "../../platform/secrets.ts";
import type { Provider } from "../types.ts";
import {
  type EndpointRow,
  findEndpoint,
  insertEndpoint,
  listSecrets,
  removeEndpoint,
  replaceSecret,
  rotateEndpointRow,
  type SealedSecret,
} from "./endpoint-store.ts";
import type { InboundEndpointCreate, InboundEndpointRotate } from "./schema.ts";
import { readPublicKey } from "./signatures/signatures.ts";

export type EndpointTools = { readonly secrets: Secrets; readonly publicUrl: () => string };

export type MadeEndpoint = { readonly row: EndpointRow; readonly url: string };

/** So long the URL from before a rotation is still answered, while the new one is entered at the provider. */
const PREVIOUS_MS = 24 * 3_600_000;

export async function createEndpoint(
  ctx: TxCtx,
  { secrets, publicUrl }: EndpointTools,
  { provider, name, secret }: InboundEndpointCreate,
): Promise<MadeEndpoint> {
  refuseUnfit(provider, secret, true);
  const place = { account_id: ctx.accountId, id: newId(ctx.clock) };
  const token = makeToken("pri_", ctx.accountId);
  const row = await insertEndpoint(ctx.sql, {
    ...place,
    provider,
    name: name ?? provider,
    token_hash: hashToken(token),
    secret: secret === undefined ? null : sealSecret(secrets, place, secret),
    created_at: ctx.clock.now(),
  });
  await recordEvent(ctx, { type: "inbound_endpoint.created", data: about(row) });
  return { row, url: urlOf(publicUrl(), provider, token) };
}

export async function rotateEndpoint(
  ctx: TxCtx,
  { secrets, publicUrl }: EndpointTools,
  id: string,
  { secret }: InboundEndpointRotate,
): Promise<MadeEndpoint> {
  const known = await findEndpoint(ctx.sql, ctx.accountId, id);
  if (!known) throw missing("inbound endpoint");
  refuseUnfit(known.provider, secret, false);
  const token = makeToken("pri_", ctx.accountId);
  const now = ctx.clock.now();
  const row = await rotateEndpointRow(ctx.sql, ctx.accountId, id, {
    tokenHash: hashToken(token),
    secret: secret === undefined ? undefined : sealSecret(secrets, known, secret),
    now,
    previousUntil: new Date(now.getTime() + PREVIOUS_MS),
  });
  if (!row) throw missing("inbound endpoint");
  await recordEvent(ctx, { type: "inbound_endpoint.rotated", data: about(row) });
  return { row, url: urlOf(publicUrl(), row.provider, token) };
}

export async function deleteEndpoint(ctx: TxCtx, id: string): Promise<void> {
  const row = await findEndpoint(ctx.sql, ctx.accountId, id);
  if (!row || !(await removeEndpoint(ctx.sql, ctx.accountId, id))) throw missing("inbound endpoint");
  await recordEvent(ctx, { type: "inbound_endpoint.deleted", data: about(row) });
}

/** Returns undefined when the secret was sealed under a SECRET_KEY that is gone; null where there is none. */
export function openSecret(secrets: Secrets, row: EndpointRow): string | null | undefined {
  return row.secret === null ? null : secrets.open("inbound-endpoint", row.secret, contextOf(row));
}

const SEALED_AT_ONCE = 100;

/** Seals all secrets under the new key after a rotation of SECRET_KEY, so that the old key can go. */
export async function resealEndpointSecrets(db: Db, secrets: Secrets): Promise<void> {
  let last: SealedSecret | undefined;
  do {
    const some: readonly SealedSecret[] = await listSecrets(db, last, SEALED_AT_ONCE);
    for (const row of some) {
      const anew = secrets.reseal("inbound-endpoint", row.secret, contextOf(row));
      if (anew) await replaceSecret(db, row, anew);
    }
    last = some.at(-1);
  } while (last);
}

function refuseUnfit(provider: Provider, secret: string | undefined, isNew: boolean): void {
  const fault = (code: string, detail: string) => invalid({ pointer: "/secret", code, detail });
  const isSigned = provider === "mailgun" || provider === "sendgrid";
  if (secret === undefined) {
    if (isSigned && isNew) throw fault("required", "is needed, since this provider signs with it");
    return;
  }
  if (provider === "ses") throw fault("not_allowed", "SES has none: SNS signs with a certificate");
  if (provider === "sendgrid" && !readPublicKey(secret))
    throw fault("invalid_key", "must be the verification key that SendGrid shows, an ECDSA key in base64");
}

function sealSecret(secrets: Secrets, place: Parameters<typeof contextOf>[0], secret: string): Buffer {
  return secrets.seal("inbound-endpoint", secret, contextOf(place));
}

function contextOf({ account_id, id }: Pick<EndpointRow, "account_id" | "id">): string {
  return `${account_id} ${id}`;
}

function urlOf(publicUrl: string, provider: Provider, token: string): string {
  return `${publicUrl}/inbound/${provider}/${token}`;
}

function about({ id, provider }: EndpointRow) {
  return { inbound_endpoint_id: toPublicId("iep", id), provider };
}
