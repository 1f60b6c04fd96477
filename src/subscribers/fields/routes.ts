import { inUse } from "../../accounts/accounts.ts";
import { pageAnswer } from "../../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../../platform/http/schemas.ts";
import { requireId } from "../../platform/ids.ts";
import { missing } from "../../platform/problems.ts";
import { fieldExists, tooManyFields } from "../problems.ts";
import { shapeField, shapeTag } from "../shape.ts";
import { countTags, listTags } from "../tags/tags.ts";
import { findField, listFields } from "./field-store.ts";
import { createField, deleteField, fieldEtag, updateField } from "./fields.ts";
import { Field, FieldCreate, FieldPage, FieldPatch, TagPage } from "./schema.ts";

const Params = Strict({ id: PublicId("fld") });
const tag = "Custom fields and tags";

export const fieldRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/fields",
    scope: "lists:read",
    tag,
    summary: "List custom fields",
    description: "Newest first; at most 200.",
    query: PageQuery({}),
    success: { status: 200, schema: FieldPage, description: "A page of fields, newest first." },
    async handler(call) {
      const { ctx, query, after } = call;
      // An account has at most 200, so the page is cut here and not in the database.
      const all = (await listFields(ctx.sql, ctx.accountId)).sort((a, b) => b.slot - a.slot);
      const rows = after ? all.filter((field) => field.slot < Number(after[0])) : all;
      const total = query.include_total ? all.length : undefined;
      return pageAnswer(call, rows.slice(0, query.limit + 1), (row) => [String(row.slot)], shapeField, total);
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/fields",
    scope: "subscribers:write",
    audit: { action: "field.created", of: "answer" },
    tag,
    summary: "Make a custom field",
    description:
      "Values then stand under its key in `fields` of a subscriber, and are checked against its type.",
    body: FieldCreate,
    success: { status: 201, schema: Field, description: "The field." },
    problems: [fieldExists, tooManyFields],
    async handler({ ctx, body, baseUrl }) {
      const field = await createField(ctx, body);
      const shaped = shapeField(field);
      return {
        status: 201,
        body: shaped,
        headers: { location: `${baseUrl}/v1/fields/${shaped.id}` },
        etag: fieldEtag(field),
      };
    },
  }),
  readRoute({
    path: "/v1/fields/:id",
    scope: "lists:read",
    tag,
    summary: "Get a custom field",
    description: "Its key, name and type.",
    params: Params,
    success: { status: 200, schema: Field, description: "The field." },
    async handler({ ctx, params }) {
      const field = await findField(ctx.sql, ctx.accountId, requireId("fld", params.id, "field"));
      if (!field) throw missing("field");
      return { status: 200, body: shapeField(field), etag: fieldEtag(field) };
    },
  }),
  writeRoute({
    method: "PATCH",
    path: "/v1/fields/:id",
    scope: "subscribers:write",
    audit: { action: "field.updated", of: "path" },
    tag,
    summary: "Rename a custom field",
    description: "Its values stay with it. The type can't change: make a new field.",
    params: Params,
    body: FieldPatch,
    success: { status: 200, schema: Field, description: "The field as it now is." },
    problems: [fieldExists, inUse],
    async handler({ ctx, params, body, ifMatch }) {
      const field = await updateField(ctx, requireId("fld", params.id, "field"), body, ifMatch);
      return { status: 200, body: shapeField(field), etag: fieldEtag(field) };
    },
  }),
  writeRoute({
    method: "DELETE",
    path: "/v1/fields/:id",
    scope: "subscribers:write",
    audit: { action: "field.deleted", of: "path" },
    tag,
    summary: "Delete a custom field",
    description:
      "Its values are shown no more, and a new field of the same key begins empty. No subscriber is rewritten for it. One that a live automation names is 409 `in_use`.",
    params: Params,
    success: { status: 204, schema: null, description: "Gone." },
    problems: [inUse],
    async handler({ ctx, params }) {
      await deleteField(ctx, requireId("fld", params.id, "field"));
      return { status: 204 };
    },
  }),
  readRoute({
    path: "/v1/tags",
    scope: "lists:read",
    tag,
    summary: "List tags",
    description: "By name. A tag is made by using it.",
    query: PageQuery({}),
    success: { status: 200, schema: TagPage, description: "A page of tags." },
    async handler(call) {
      const { ctx, query, after } = call;
      const [rows, total] = await Promise.all([
        listTags(ctx.sql, ctx.accountId, query.limit + 1, after?.[0]),
        query.include_total ? countTags(ctx.sql, ctx.accountId) : undefined,
      ]);
      return pageAnswer(call, rows, (row) => [row.name_key], shapeTag, total);
    },
  }),
];
