import { Type } from "typebox";
import { parseAddress } from "../../mail/addresses.ts";
import { TOO_MANY_BY_PROGRAMS } from "../../platform/http/audit.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId, toPublicId } from "../../platform/ids.ts";
import { AppError, invalid, invalidQuery, missing } from "../../platform/problems.ts";
import { addressFaultsIn, readAddress } from "../changes/changes.ts";
import { ensureContacts, findContact, type HashAddress, NO_CONTACT } from "../contact-store.ts";
import { suppressionExists } from "../problems.ts";
import { shapeSuppression } from "../shape.ts";
import { readSearchedAddress } from "../subscriber-query.ts";
import {
  SUPPRESSION_REASONS,
  Suppression,
  SuppressionCreate,
  SuppressionPage,
  SuppressionsUndone,
  SuppressionUndo,
} from "./schema.ts";
import {
  countSuppressions,
  findSuppression,
  findSuppressionOf,
  listSuppressions,
} from "./suppression-store.ts";
import { countUndoable, MOST_UNDONE, suppressContact, undoSuppressions, unsuppress } from "./suppressions.ts";

const Params = Strict({ id: PublicId("sup") });
const tag = "Suppressions";

export function suppressionRoutes(hash: HashAddress): readonly Route[] {
  return [
    readRoute({
      path: "/v1/suppressions",
      scope: "suppressions:read",
      tag,
      summary: "List suppressions",
      description: "Addresses that are never mailed, whatever the list. Newest first.",
      query: PageQuery({
        reason: Type.Optional(Type.Unsafe<string>({ type: "string", enum: [...SUPPRESSION_REASONS] })),
        email: Type.Optional(Type.String({ maxLength: 1_000, description: "Is this address suppressed?" })),
      }),
      success: { status: 200, schema: SuppressionPage, description: "A page of suppressions." },
      async handler(call) {
        const { ctx, query } = call;
        const contactId = query.email === undefined ? undefined : await contactOf(query.email);
        const filter = { reason: query.reason, contactId };
        return pageByAge(call, {
          list: (db, accountId, page) => listSuppressions(db, accountId, filter, page),
          count: (db, accountId) => countSuppressions(db, accountId, filter),
          shape: shapeSuppression,
        });

        async function contactOf(text: string): Promise<string> {
          const address = parseAddress(readSearchedAddress(text));
          if (!address.ok) {
            throw new AppError(invalidQuery, "this is no e-mail address", {
              faults: [{ parameter: "email", code: address.code, detail: address.detail }],
            });
          }
          return (await findContact(ctx.sql, ctx.accountId, hash(address.key))) ?? NO_CONTACT;
        }
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/suppressions",
      scope: "suppressions:write",
      audit: { action: "suppression.created", of: "answer", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Suppress an address",
      description:
        "With the reason of a bounce or a complaint its subscribers get that status too. A graver reason takes the " +
        "place of the one there was (200). An address that bounced and is suppressed here as well stays suppressed when its " +
        "bounces are undone (200).",
      body: SuppressionCreate,
      alsoFaults: addressFaultsIn("email"),
      success: { status: 201, schema: Suppression, description: "The suppression." },
      alsoAnswers: [200],
      problems: [suppressionExists],
      async handler({ ctx, body, baseUrl }) {
        const address = readAddress(body.email, "/email");
        if ("fault" in address) throw invalid(address.fault);
        const hashed = hash(address.parsed.key);
        const contactId = (await ensureContacts(ctx, [hashed])).get(hashed.toString("hex")) ?? "";
        const email = address.parsed.address;
        const written = await suppressContact(ctx, contactId, body.reason ?? "manual", "api", { email });
        const made = await findSuppressionOf(ctx.sql, ctx.accountId, contactId);
        if (!made) throw missing("suppression");
        if (!written) {
          throw new AppError(suppressionExists, "this address is suppressed already", {
            members: { suppression_id: toPublicId("sup", made.id), reason: made.reason },
          });
        }
        const shaped = shapeSuppression(made);
        const headers = { location: `${baseUrl}/v1/suppressions/${shaped.id}` };
        return {
          ...(written.isNew ? { status: 201, headers } : { status: 200 }),
          body: shaped,
          subjects: [contactId],
        };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/suppressions/undo",
      scope: "suppressions:write",
      audit: { action: "suppression.undone", of: "account" },
      tag,
      summary: "Undo the suppressions of a domain",
      description:
        "Takes back what bounces suppressed at one domain within a time, such as while its servers were broken. Subscribers that " +
        "became `bounced` by it are what they were before. What people or programs suppressed themselves stays, as do " +
        `complaints. At most ${MOST_UNDONE} at a time, the oldest first.`,
      body: SuppressionUndo,
      success: { status: 200, schema: SuppressionsUndone, description: "What was taken back." },
      async handler({ ctx, body }) {
        const { domain, from, to, reason = "hard_bounce", dry_run: isDry = false } = body;
        const filter = { domain: domainKey(domain), from: new Date(from), to: new Date(to), reason };
        if (filter.from >= filter.to) {
          throw invalid({ pointer: "/to", code: "out_of_range", detail: "must be after `from`" });
        }
        const matched = await countUndoable(ctx.sql, ctx.accountId, filter);
        const undone = isDry ? 0 : await undoSuppressions(ctx, filter);
        return { status: 200, body: { object: "suppressions_undone" as const, matched, undone } };
      },
    }),
    readRoute({
      path: "/v1/suppressions/:id",
      scope: "suppressions:read",
      tag,
      summary: "Get a suppression",
      description: "Why the address is never mailed, and since when.",
      params: Params,
      success: { status: 200, schema: Suppression, description: "The suppression." },
      async handler({ ctx, params }) {
        const found = await findSuppression(
          ctx.sql,
          ctx.accountId,
          requireId("sup", params.id, "suppression"),
        );
        if (!found) throw missing("suppression");
        return { status: 200, body: shapeSuppression(found) };
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/suppressions/:id",
      scope: "suppressions:write",
      audit: { action: "suppression.deleted", of: "path" },
      tag,
      summary: "Remove a suppression",
      description: "The address may be mailed again where its subscribers' own status allows it.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await unsuppress(ctx, requireId("sup", params.id, "suppression"));
        return { status: 204 };
      },
    }),
  ];
}

/** Writes a domain as addresses have it: in lower case, and as an A-label. */
function domainKey(domain: string): string {
  const parsed = parseAddress(`postmaster@${domain.trim()}`);
  if (!parsed.ok) throw invalid({ pointer: "/domain", code: "invalid_domain", detail: "this is no domain" });
  return parsed.key.slice(parsed.key.indexOf("@") + 1);
}
