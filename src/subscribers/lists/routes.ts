import { Type } from "typebox";
import { getAccount, inUse } from "../../accounts/accounts.ts";
import type { TxCtx } from "../../platform/context.ts";
import { pageByAge } from "../../platform/http/paging/page-by-age.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict, TimeZone } from "../../platform/http/schemas.ts";
import { fromPublicId, requireId } from "../../platform/ids.ts";
import { type Fault, invalid, missing } from "../../platform/problems.ts";
import { addressFaultsIn } from "../changes/changes.ts";
import { listNotEmpty, slugTaken } from "../problems.ts";
import { shapeList } from "../shape.ts";
import { ListIdInQuery, readListId } from "../subscriber-query.ts";
import { Growth, MOST_DAYS, readGrowth } from "./growth.ts";
import { countLists, findList, listLists } from "./list-store.ts";
import { createList, deleteList, listEtag, updateList } from "./lists.ts";
import { List, ListCreate, ListPage, ListPatch } from "./schema.ts";

const Params = Strict({ id: PublicId("lst") });
const tag = "Lists";

/** Says what is wrong with a template that is to welcome people; templates are known to a floor above. */
export type CheckWelcome = (ctx: TxCtx, templateId: string) => Promise<Fault | undefined>;

/** Reads the template that a request names, and refuses one that can't be sent. */
async function readInput<T extends { welcome_template_id?: string | null }>(
  ctx: TxCtx,
  checkWelcome: CheckWelcome,
  body: T,
): Promise<T> {
  const given = body.welcome_template_id;
  if (given === undefined || given === null) return body;
  const id = fromPublicId("tpl", given) ?? "";
  const fault = await checkWelcome(ctx, id);
  if (fault) throw invalid(fault);
  return { ...body, welcome_template_id: id };
}

export const listRoutes = (checkWelcome: CheckWelcome): readonly Route[] => [
  readRoute({
    path: "/v1/lists",
    scope: "lists:read",
    tag,
    summary: "List lists",
    description: "Newest first.",
    query: PageQuery({
      q: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: "In the name, in any case." }),
      ),
    }),
    success: { status: 200, schema: ListPage, description: "A page of lists." },
    handler: (call) =>
      pageByAge(call, {
        list: (db, accountId, page) => listLists(db, accountId, call.query.q, page),
        count: (db, accountId) => countLists(db, accountId, call.query.q),
        shape: shapeList,
      }),
  }),
  writeRoute({
    method: "POST",
    path: "/v1/lists",
    scope: "subscribers:write",
    audit: { action: "list.created", of: "answer" },
    tag,
    summary: "Make a list",
    description:
      "Only the name is required. The sender's name and address, `reply_to` and the postal address are what " +
      "campaigns on this list use unless they say otherwise.",
    body: ListCreate,
    alsoFaults: addressFaultsIn("from_email", "reply_to"),
    success: { status: 201, schema: List, description: "The list." },
    problems: [slugTaken],
    async handler({ ctx, body, baseUrl }) {
      const list = await createList(ctx, await readInput(ctx, checkWelcome, body));
      const shaped = shapeList(list);
      const headers = { location: `${baseUrl}/v1/lists/${shaped.id}` };
      return { status: 201, body: shaped, headers, etag: listEtag(list) };
    },
  }),
  readRoute({
    path: "/v1/lists/:id",
    scope: "lists:read",
    tag,
    summary: "Get a list",
    description: "With exact counts of its subscribers by status.",
    params: Params,
    hot: true,
    success: { status: 200, schema: List, description: "The list with its exact counts." },
    async handler({ ctx, params }) {
      const list = await findList(ctx.sql, ctx.accountId, requireId("lst", params.id, "list"));
      if (!list) throw missing("list");
      return { status: 200, body: shapeList(list), etag: listEtag(list) };
    },
  }),
  writeRoute({
    method: "PATCH",
    path: "/v1/lists/:id",
    scope: "subscribers:write",
    audit: { action: "list.updated", of: "path" },
    tag,
    summary: "Change a list",
    description:
      "What is left out stays as it is; null clears. `double_opt_in` holds for those who come from then on. A slug that is " +
      "changed or cleared is free for others at once.",
    params: Params,
    body: ListPatch,
    alsoFaults: addressFaultsIn("from_email", "reply_to"),
    success: { status: 200, schema: List, description: "The list as it now is." },
    problems: [slugTaken],
    async handler({ ctx, params, body, ifMatch }) {
      const id = requireId("lst", params.id, "list");
      const list = await updateList(ctx, id, await readInput(ctx, checkWelcome, body), ifMatch);
      return { status: 200, body: shapeList(list), etag: listEtag(list) };
    },
  }),
  writeRoute({
    method: "DELETE",
    path: "/v1/lists/:id",
    scope: "subscribers:write",
    audit: { action: "list.deleted", of: "path" },
    tag,
    summary: "Delete a list and its subscribers",
    description:
      "A list with subscribers is deleted only with `?force=true`; without it the answer says how many. One that a step of a live automation names is 409 `in_use`.",
    params: Params,
    query: Strict({
      force: Type.Boolean({ default: false, description: "Delete its subscribers with it." }),
    }),
    success: { status: 204, schema: null, description: "Gone." },
    problems: [listNotEmpty, inUse],
    async handler({ ctx, params, query }) {
      await deleteList(ctx, requireId("lst", params.id, "list"), query.force);
      return { status: 204 };
    },
  }),
  readRoute({
    path: "/v1/stats/growth",
    scope: "lists:read",
    tag,
    summary: "Get how lists grow",
    description:
      "Subscribers gained and lost on each day of a time zone, which is the account's unless you name one.",
    query: Strict({
      list_id: Type.Optional(ListIdInQuery),
      days: Type.Integer({
        minimum: 1,
        maximum: MOST_DAYS,
        default: 90,
        description: "How many, today included.",
      }),
      time_zone: Type.Optional(TimeZone),
    }),
    success: { status: 200, schema: Growth, description: "The days, and their sums." },
    async handler({ ctx, query }) {
      const listId = await readListId(ctx, query.list_id);
      const account = query.time_zone ? undefined : await getAccount(ctx.sql, ctx.accountId);
      const timeZone = query.time_zone ?? account?.time_zone ?? "UTC";
      return { status: 200, body: await readGrowth(ctx, { listId, days: query.days, timeZone }) };
    },
  }),
];
