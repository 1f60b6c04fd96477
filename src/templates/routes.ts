import { contentBusy } from "../messages/messages.ts";
import { CHANGES_NOTHING } from "../platform/http/audit.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import type { Answer } from "../platform/http/route.ts";
import { type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import {
  type CountUses,
  createTemplate,
  deleteTemplate,
  duplicateTemplate,
  templateEtag,
  type UsedBy,
  updateTemplate,
} from "./edit.ts";
import {
  templateChanged,
  templateExists,
  templateFaulty,
  templateInUse,
  tooManyTemplates,
} from "./problems.ts";
import { examineDraft, publishTemplate } from "./publish.ts";
import { renderTemplate, type TemplateTools } from "./render.ts";
import {
  RenderInput,
  Template,
  TemplateCreate,
  TemplatePage,
  TemplatePatch,
  TemplateQuery,
  TemplateRendering,
} from "./schema.ts";
import { shapeSummary, shapeTemplate } from "./shape.ts";
import { countTemplates, findTemplate, listTemplates, type TemplateRow } from "./store.ts";
import { versionRoutes } from "./version-routes.ts";

const tag = "Templates";
const read = "templates:read";
const write = "templates:write";
const Params = Strict({ id: PublicId("tpl") });
const one = { status: 200, schema: Template, description: "The template as it now is." };

const templateId = (text: string) => requireId("tpl", text, "template");

function answerWith(row: TemplateRow, status: number): Answer<Template> {
  return { status, body: shapeTemplate(row), etag: templateEtag(row) };
}

function answerNew(row: TemplateRow, baseUrl: string): Answer<Template> {
  return {
    ...answerWith(row, 201),
    headers: { location: `${baseUrl}/v1/templates/${toPublicId("tpl", row.id)}` },
  };
}

/** `usedBy` is asked before a template is deleted, and `countUses` for each page of a list. */
export function templateRoutes(
  tools: TemplateTools & { readonly usedBy: readonly UsedBy[]; readonly countUses: CountUses },
): readonly Route[] {
  return [
    readRoute({
      path: "/v1/templates",
      scope: read,
      tag,
      summary: "List templates",
      description: "Newest first, without their contents: those come with a single template.",
      query: TemplateQuery,
      success: { status: 200, schema: TemplatePage, description: "A page of templates." },
      handler: (call) =>
        pageByAge(call, {
          async list(db, accountId, page) {
            const rows = await listTemplates(db, accountId, call.query.q, page);
            const ids = rows.map(({ id }) => id);
            const uses = ids.length === 0 ? undefined : await tools.countUses(db, accountId, ids);
            return rows.map((row) => ({ ...row, uses: uses?.get(row.id) }));
          },
          count: (db, accountId) => countTemplates(db, accountId, call.query.q),
          shape: ({ uses, ...row }) => shapeSummary(row, uses),
        }),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/templates",
      scope: write,
      audit: { action: "template.created", of: "answer" },
      tag,
      summary: "Make a template",
      description:
        "A draft, empty or from a starter. Its texts may hold Liquid, which reads the variables that are declared here. Mails and " +
        "campaigns can be made from it once it is published.",
      body: TemplateCreate,
      success: { status: 201, schema: Template, description: "The template." },
      problems: [templateExists, tooManyTemplates],
      handler: async ({ ctx, body, baseUrl }) => answerNew(await createTemplate(ctx, body), baseUrl),
    }),
    readRoute({
      path: "/v1/templates/:id",
      scope: read,
      tag,
      summary: "Get a template",
      description: "With the content of its draft.",
      params: Params,
      success: { status: 200, schema: Template, description: "The template." },
      async handler({ ctx, params }) {
        const row = await findTemplate(ctx.sql, ctx.accountId, templateId(params.id));
        if (!row) throw missing("template");
        return answerWith(row, 200);
      },
    }),
    writeRoute({
      method: "PATCH",
      path: "/v1/templates/:id",
      scope: write,
      audit: { action: "template.updated", of: "path" },
      tag,
      summary: "Change a template",
      description:
        "Changes the draft. What is left out stays as it is; null clears. Mails and campaigns take it once it is published.",
      params: Params,
      body: TemplatePatch,
      success: one,
      problems: [templateExists],
      handler: async ({ ctx, params, body, ifMatch }) =>
        answerWith(await updateTemplate(ctx, templateId(params.id), body, ifMatch), 200),
    }),
    writeRoute({
      method: "DELETE",
      path: "/v1/templates/:id",
      scope: write,
      audit: { action: "template.deleted", of: "path" },
      tag,
      summary: "Delete a template",
      description:
        "With all its versions, unless a campaign that isn't sent yet or a mail that waits for its time was made from it.",
      params: Params,
      success: { status: 204, schema: null, description: "Gone." },
      problems: [templateInUse],
      async handler({ ctx, params }) {
        await deleteTemplate(ctx, tools.usedBy, templateId(params.id));
        return { status: 204 };
      },
    }),
    writeRoute({
      method: "POST",
      path: "/v1/templates/:id/publish",
      scope: write,
      audit: { action: "template.published", of: "path" },
      tag,
      summary: "Publish a template",
      description:
        "Makes the draft the version that mails and campaigns take. It is compiled, and rendered with the samples of its variables: what " +
        "can't be made into mail, or reads a name that is neither a variable nor known to campaigns, is refused. Where nothing has changed " +
        "since the last time, nothing happens.",
      params: Params,
      success: one,
      problems: [templateFaulty, templateChanged, contentBusy],
      prepare: ({ ctx, params }) => examineDraft(ctx, tools, templateId(params.id)),
      handler: async ({ ctx, params, ifMatch }, examined) =>
        answerWith(await publishTemplate(ctx, templateId(params.id), ifMatch, examined), 200),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/templates/:id/duplicate",
      scope: write,
      audit: { action: "template.duplicated", of: "answer" },
      tag,
      summary: "Copy a template",
      description: "Copies the draft into a new template, which isn't published.",
      params: Params,
      success: { status: 201, schema: Template, description: "The copy." },
      problems: [templateExists, tooManyTemplates],
      handler: async ({ ctx, params, baseUrl }) =>
        answerNew(await duplicateTemplate(ctx, templateId(params.id)), baseUrl),
    }),
    writeRoute({
      method: "POST",
      path: "/v1/templates/:id/render",
      worksWhileHeld: true,
      scope: read,
      audit: CHANGES_NOTHING,
      tag,
      summary: "Render a template",
      description:
        "Shows the draft, as it is or with changes, or a version with these values. Nothing is stored. A name that only campaigns know has the value of a made-up " +
        "recipient.",
      params: Params,
      body: RenderInput,
      bodyOptional: true,
      success: { status: 200, schema: TemplateRendering, description: "The mail that would be made." },
      problems: [templateFaulty, contentBusy],
      prepare: ({ ctx, params, body }) =>
        renderTemplate(ctx, tools, templateId(params.id), {
          values: body?.variables ?? {},
          version: body?.version,
          changes: body?.draft,
          isStrict: body?.strict ?? false,
          hasChecks: body?.checks ?? false,
        }),
      async handler({ params }, { missing: without, undeclared, checks, ...rendering }) {
        const template_id = toPublicId("tpl", templateId(params.id));
        const object = "template_rendering" as const;
        const found = { missing: [...without], undeclared: [...undeclared], checks: [...checks] };
        return { status: 200, body: { object, template_id, ...rendering, ...found } };
      },
    }),
    ...versionRoutes,
  ];
}
