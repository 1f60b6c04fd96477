import { readActorNames } from "../accounts/accounts.ts";
import type { Ctx } from "../platform/context.ts";
import { pageAnswer } from "../platform/http/paging/cursor.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PageQuery, PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { restoreVersion, templateEtag } from "./edit.ts";
import { MOST_VERSIONS } from "./publish.ts";
import { Template, TemplateVersion, TemplateVersionPage, VersionParams } from "./schema.ts";
import { shapeTemplate, shapeVersion, shapeVersionHead } from "./shape.ts";
import { findPublishedVersion } from "./store.ts";
import { countVersions, findVersion, listVersions, type VersionHead } from "./version-store.ts";

const tag = "Templates";

export const versionRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/templates/:id/versions",
    scope: "templates:read",
    tag,
    summary: "List a template's versions",
    description: `What was published, newest first, without the contents. The newest ${MOST_VERSIONS} are kept.`,
    params: Strict({ id: PublicId("tpl") }),
    query: PageQuery({}),
    success: { status: 200, schema: TemplateVersionPage, description: "A page of versions." },
    async handler(call) {
      const { ctx, params, query, after } = call;
      const id = await requireTemplate(ctx, params.id);
      const below = after && Number(after[0]);
      const [rows, total] = await Promise.all([
        listVersions(ctx.sql, ctx.accountId, id, { limit: query.limit + 1, below }),
        query.include_total ? countVersions(ctx.sql, ctx.accountId, id) : undefined,
      ]);
      const names = await namesOf(ctx, rows);
      return pageAnswer(
        call,
        rows,
        ({ number }) => [String(number)],
        (row) => shapeVersionHead(id, row, names),
        total,
      );
    },
  }),
  readRoute({
    path: "/v1/templates/:id/versions/:number",
    scope: "templates:read",
    tag,
    summary: "Get a version of a template",
    params: VersionParams,
    success: { status: 200, schema: TemplateVersion, description: "The version with its contents." },
    async handler({ ctx, params }) {
      const id = await requireTemplate(ctx, params.id);
      const row = await findVersion(ctx.sql, ctx.accountId, id, Number(params.number));
      if (!row) throw missing("version");
      return { status: 200, body: shapeVersion(id, row, await namesOf(ctx, [row])) };
    },
  }),
  writeRoute({
    method: "POST",
    path: "/v1/templates/:id/versions/:number/restore",
    scope: "templates:write",
    audit: { action: "template.version_restored", of: "path" },
    tag,
    summary: "Restore a version of a template",
    description:
      "Makes the draft say what the version says. Mails and campaigns take it once it is published.",
    params: VersionParams,
    success: { status: 200, schema: Template, description: "The template as it now is." },
    async handler({ ctx, params, ifMatch }) {
      const id = requireId("tpl", params.id, "template");
      const row = await restoreVersion(ctx, id, Number(params.number), ifMatch);
      return { status: 200, body: shapeTemplate(row), etag: templateEtag(row) };
    },
  }),
];

async function requireTemplate(ctx: Ctx, text: string): Promise<string> {
  const id = requireId("tpl", text, "template");
  if ((await findPublishedVersion(ctx.sql, ctx.accountId, id)) === undefined) throw missing("template");
  return id;
}

function namesOf(ctx: Ctx, rows: readonly VersionHead[]): Promise<ReadonlyMap<string, string>> {
  const actors = rows.map(({ actor_kind: kind, actor_id: id }) => ({ kind, id }));
  return readActorNames(ctx.sql, ctx.accountId, actors);
}
