/** Reads which recipients of a campaign are asked for: those of a status, of an event, or the one with an address. */
import { type Static, Type } from "typebox";
import {
  listRecipients,
  listSourceRevisions,
  RECIPIENT_STATUSES,
  type RecipientRow,
  type RecipientStatus,
  readRecipients,
} from "../../delivery/delivery.ts";
import { parseAddress } from "../../mail/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { oneOf, PageQuery, Strict } from "../../platform/http/schemas.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import {
  findContact,
  type HashAddress,
  RECIPIENT_EVENTS,
  readSearchedAddress,
} from "../../subscribers/subscribers.ts";
import { listByEvent, type RecipientOfEvent } from "./by-event.ts";
import { includeMachines } from "./schema.ts";

/** So few rows have these that those of one reason or one domain are looked for among them. */
const OF_FEW: readonly RecipientStatus[] = ["deferred", "failed", "unknown", "skipped"];
const amongFew = `Together with one of the statuses ${OF_FEW.join(", ")}.`;

/** By what became of the mail. */
const byLedger = {
  status: Type.Optional(Type.Unsafe<RecipientStatus>({ type: "string", enum: [...RECIPIENT_STATUSES] })),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: `With this \`reason\`. ${amongFew}`,
      examples: ["hard_bounce"],
    }),
  ),
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 253,
      description: `Whose address is of this domain now. ${amongFew}`,
      examples: ["example.com"],
    }),
  ),
};

export const DownloadQuery = Strict(byLedger);

export const RecipientQuery = PageQuery({
  ...byLedger,
  event: Type.Optional(oneOf(RECIPIENT_EVENTS)),
  include_machines: Type.Boolean({ default: false, ...includeMachines }),
  email: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: "The one whom it went to at this address; exact, without regard to case, and by itself.",
      examples: ["ada@example.com"],
    }),
  ),
});
export type RecipientQuery = Static<typeof RecipientQuery>;

export type Listed =
  | RecipientOfEvent
  | { readonly contactId: string; readonly row: RecipientRow; readonly event: null };

/** Refuses what can't be asked together. */
export function checkFilter({
  status,
  event,
  reason,
  domain,
  email,
}: Partial<Pick<RecipientQuery, "status" | "event" | "reason" | "domain" | "email">>): void {
  if (status && event) throw refuse("event", "say either status or event");
  for (const [parameter, value] of Object.entries({ reason, domain }))
    if (value !== undefined && !(status && OF_FEW.includes(status))) throw refuse(parameter, amongFew);
  if (email !== undefined && (status || event)) throw refuse("email", "say an address by itself");
}

function refuse(parameter: string, detail: string): AppError {
  return new AppError(invalidQuery, detail, { faults: [{ parameter, code: "not_allowed", detail }] });
}

/** Lists a page of them in the order of their contacts' ids. */
export async function listAsked(
  ctx: Ctx,
  hash: HashAddress,
  campaignId: string,
  query: RecipientQuery,
  page: { readonly limit: number; readonly after: string | undefined },
): Promise<Listed[]> {
  const { status, event, include_machines, reason, domain, email } = query;
  if (email !== undefined) return withoutEvent(await findByAddress(ctx, hash, campaignId, email));
  if (event) {
    const filter = { type: event, includeMachines: include_machines };
    return listByEvent(ctx.sql, ctx.accountId, campaignId, filter, page);
  }
  const asked = { status, why: reason, domain: domain && asKept(domain), ...page };
  return withoutEvent(await listRecipients(ctx.sql, ctx.accountId, campaignId, asked));
}

/** Addresses are kept with the A-label of their domain: `bücher.example` is asked for as `xn--bcher-kva.example`. */
function asKept(domain: string): string {
  const address = parseAddress(`somebody@${domain}`);
  return address.ok ? address.asciiDomain : domain.toLowerCase();
}

/** Finds the rows of one address, of which each source has one at most. */
async function findByAddress(
  { sql, accountId }: Ctx,
  hash: HashAddress,
  campaignId: string,
  text: string,
): Promise<RecipientRow[]> {
  const address = parseAddress(readSearchedAddress(text));
  if (!address.ok) {
    const fault = { parameter: "email", code: address.code, detail: address.detail };
    throw new AppError(invalidQuery, "this is no e-mail address", { faults: [fault] });
  }
  const contactId = await findContact(sql, accountId, hash(address.key));
  if (!contactId) return [];
  const sources = await listSourceRevisions(sql, accountId, campaignId);
  const messages = sources.map(({ id }) => ({ sourceId: id, contactId }));
  return messages.length === 0 ? [] : readRecipients(sql, accountId, messages);
}

function withoutEvent(rows: readonly RecipientRow[]): Listed[] {
  return rows.map((row) => ({ contactId: row.contactId, row, event: null }));
}
