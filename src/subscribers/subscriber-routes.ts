import { type Static, Type } from "typebox";
import { parseAddress } from "../mail/addresses.ts";
import type { Ctx } from "../platform/context.ts";
import { TOO_MANY_BY_PROGRAMS } from "../platform/http/audit.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PageQuery, Strict } from "../platform/http/schemas.ts";
import { fromPublicId } from "../platform/ids.ts";
import { AppError, type Fault, invalid, invalidQuery } from "../platform/problems.ts";
import {
  addBatch,
  addressFaultsIn,
  readCandidate,
  unknownList,
  updateSubscriber,
} from "./changes/changes.ts";
import { findContact, type HashAddress } from "./contact-store.ts";
import type { SentCampaigns } from "./engagement/engagement.ts";
import { allFields } from "./fields/fields.ts";

import { listExists } from "./lists/lists.ts";
import { confirmationTooSoon, subscriberExists, subscriberLimitReached } from "./problems.ts";
import {
  BatchCreate,
  type BatchItem,
  BatchResult,
  OnConflict,
  Subscriber,
  SubscriberCounts,
  SubscriberCreate,
  SubscriberPage,
  SubscriberPatch,
} from "./schema.ts";
import { shapeCounts, shapeSubscriber } from "./shape.ts";
import { answerWith, one, Params, read, subscriberId, tag, write } from "./subscriber-answer.ts";
import {
  CountsQuery,
  ListIdInQuery,
  nextPosition,
  readFilter,
  readListId,
  readSearchedAddress,
  readSort,
  SubscriberQuery,
} from "./subscriber-query.ts";
import {
  countByStatus,
  countSubscribers,
  countSubscribersOfContact,
  listSubscribers,
  listSubscribersOfContact,
  type SubscriberView,
} from "./subscriber-store.ts";
import { createSubscriber, deleteSubscriber } from "./subscribers.ts";

export function subscriberRoutes(hash: HashAddress, sent: SentCampaigns): readonly Route[] {
  return [
    readRoute({
      path: "/v1/subscribers",
      scope: read,
      tag,
      summary: "List subscribers",
      description: "Of one list, or of every list.",
      query: SubscriberQuery,
      success: { status: 200, schema: SubscriberPage, description: "A page of subscribers." },
      async handler(call) {
        const { ctx, query, after } = call;
        const sort = readSort(query.sort);
        const filter = await readFilter(ctx, query, sent);
        if (!filter) return emptyPage(call);
        const position = await nextPosition(ctx, sort);
        const [rows, fields, total] = await Promise.all([
          listSubscribers(ctx.sql, ctx.accountId, filter, { sort, limit: query.limit + 1, after }),
          allFields(ctx.sql, ctx.accountId),
          query.include_total ? countSubscribers(ctx.sql, ctx.accountId, filter) : undefined,
        ]);
        return pageAnswer(call, rows, position, (row) => shapeSubscriber(row, fields), total);
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers",
      scope: write,
      audit: { action: "subscriber.created", of: "answer", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Add a subscriber to a list",
      description:
        "On a list with double opt-in it is `pending` until it confirms, unless its consent is attested; the mail that asks for " +
        "it is not sent yet by this version. An address that opted out of the list before " +
        "comes back as `unsubscribed`; a suppressed one is taken, but not `sendable`.",
      query: Strict({ on_conflict: Type.Optional(OnConflict) }),
      body: SubscriberCreate,
      alsoFaults: addressFaultsIn("email"),
      success: {
        status: 201,
        schema: Subscriber,
        description: "Added. 200 when it was there and `on_conflict` was given.",
      },
      alsoAnswers: [200],
      problems: [subscriberExists, subscriberLimitReached],
      async handler({ ctx, body, query, baseUrl }) {
        const input = readCandidate(body, await allFields(ctx.sql, ctx.accountId));
        if ("faults" in input)
          throw invalid(...input.faults, ...(await unknownListFaults(ctx, body.list_id)));
        const { id, isNew } = await createSubscriber(
          ctx,
          hash,
          input.candidate,
          query.on_conflict ?? "refuse",
        );
        const answer = await answerWith(ctx, id, isNew ? 201 : 200);
        const location = `${baseUrl}/v1/subscribers/${answer.body?.id}`;
        if (isNew) return { ...answer, headers: { location } };
        return query.on_conflict === "skip" ? { ...answer, changedNothing: true } : answer;
      },
    }),
    readRoute({
      path: "/v1/subscribers/search",
      scope: read,
      tag,
      summary: "Find an address on every list",
      description: "Exact, without regard to case.",
      query: PageQuery({
        email: Type.String({ maxLength: 1_000, examples: ["ada@example.com"] }),
        list_id: Type.Optional(ListIdInQuery),
      }),
      success: {
        status: 200,
        schema: SubscriberPage,
        description: "A page; empty when nobody has the address.",
      },
      async handler(call) {
        const { ctx, query } = call;
        const address = parseAddress(readSearchedAddress(query.email));
        if (!address.ok) {
          throw new AppError(invalidQuery, "this is no e-mail address", {
            faults: [{ parameter: "email", code: address.code, detail: address.detail }],
          });
        }
        const listId = await readListId(ctx, query.list_id);
        const contactId = await findContact(ctx.sql, ctx.accountId, hash(address.key));
        if (!contactId) return emptyPage(call);
        const shape = allFields(ctx.sql, ctx.accountId).then(
          (fields) => (row: SubscriberView) => shapeSubscriber(row, fields),
        );
        return pageByAge(call, {
          list: (db, accountId, page) => listSubscribersOfContact(db, accountId, contactId, listId, page),
          count: (db, accountId) => countSubscribersOfContact(db, accountId, contactId, listId),
          shape,
        });
      },
    }),
    readRoute({
      path: "/v1/subscribers/counts",
      scope: "lists:read",
      tag,
      summary: "Count subscribers by status",
      description:
        "Of those whom the filter leaves. Without a filter, or with a list alone, the counts are kept ready; else the rows are counted.",
      query: CountsQuery,
      success: { status: 200, schema: SubscriberCounts, description: "How many have each status." },
      async handler({ ctx, query }) {
        const filter = await readFilter(ctx, query, sent);
        const counts = filter ? await countByStatus(ctx.sql, ctx.accountId, filter) : {};
        return { status: 200, body: { object: "subscriber_counts" as const, ...shapeCounts(counts) } };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/subscribers/batch",
      scope: write,
      audit: { action: "subscriber.batch_created", of: "account", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Add up to 1,000 subscribers",
      description: "One result for each, in order. One that is wrong stops no other.",
      body: BatchCreate,
      success: { status: 200, schema: BatchResult, description: "What became of each." },
      async handler({ ctx, body }) {
        const results = await addBatch(ctx, hash, body.subscribers, body.on_conflict);
        // Who was there already is answered by 200, and was skipped unless it was to be changed.
        const isChange = ({ status }: BatchItem) =>
          status === 201 || (status === 200 && body.on_conflict !== "skip");
        const answer = { status: 200, body: { object: "batch" as const, results } };
        return results.some(isChange) ? answer : { ...answer, changedNothing: true };
      },
    }),
    readRoute({
      path: "/v1/subscribers/:id",
      scope: read,
      tag,
      summary: "Get a subscriber",
      description: "What is known of it, its consent, and whether it may be mailed.",
      params: Params,
      hot: true,
      success: { status: 200, schema: Subscriber, description: "The subscriber." },
      handler: ({ ctx, params }) => answerWith(ctx, subscriberId(params.id), 200),
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/subscribers/:id",
      scope: write,
      audit: { action: "subscriber.updated", of: "path", onlyByPeople: TOO_MANY_BY_PROGRAMS },
      tag,
      summary: "Change a subscriber",
      description:
        "null clears; `tags` replaces; `fields` merges. The list and the status change by actions only.",
      params: Params,
      body: SubscriberPatch,
      alsoFaults: addressFaultsIn("email"),
      success: one,
      problems: [subscriberExists, confirmationTooSoon],
      async handler({ ctx, params, body, ifMatch }) {
        const id = subscriberId(params.id);
        await updateSubscriber(ctx, hash, id, body, ifMatch);
        return answerWith(ctx, id, 200);
      },
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/subscribers/:id",
      scope: write,
      audit: { action: "subscriber.deleted", of: "path" },
      tag,
      summary: "Delete a subscriber",
      description:
        "Its personal data goes. An opt-out stays, as a keyed hash, so that adding it again revives nobody.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      async handler({ ctx, params }) {
        await deleteSubscriber(ctx, subscriberId(params.id));
        return { status: 204 };
      },
    }),
  ];
}

/** This is checked early, so that a body with other faults is told of this one at once. */
async function unknownListFaults(ctx: Ctx, given: string): Promise<readonly Fault[]> {
  const id = fromPublicId("lst", given);
  return id && !(await listExists(ctx.sql, ctx.accountId, id)) ? [unknownList] : [];
}

/** This is the page when nobody can be on it. */
function emptyPage(call: { query: { include_total: boolean } }): Answer<Static<typeof SubscriberPage>> {
  const total = call.query.include_total ? { total: 0 } : {};
  return { status: 200, body: { object: "list", data: [], has_more: false, next_cursor: null, ...total } };
}
