import { shapeUpdatedBy } from "../accounts/accounts.ts";
import { pageByAge } from "../platform/http/paging/page-by-age.ts";
import { type Answer, type Route, readRoute, writeRoute } from "../platform/http/route.ts";
import { PublicId, Strict } from "../platform/http/schemas.ts";
import { requireId, toPublicId } from "../platform/ids.ts";
import { missing } from "../platform/problems.ts";
import { sectionExists, tooManySections } from "./problems.ts";
import {
  Section,
  SectionCreate,
  SectionPage,
  SectionPatch,
  SectionQuery,
  type SectionSummary,
} from "./schema.ts";
import { createSection, deleteSection, sectionEtag, updateSection } from "./sections.ts";
import { countSections, findSection, listSections, type SectionHead, type SectionRow } from "./store.ts";

const tag = "Sections";
const read = "templates:read";
const write = "templates:write";
const Params = Strict({ id: PublicId("sec") });

const sectionId = (text: string) => requireId("sec", text, "section");

export const sectionRoutes: readonly Route[] = [
  readRoute({
    path: "/v1/sections",
    scope: read,
    tag,
    summary: "List saved sections",
    description: "Newest first, without their blocks: those come with a single section.",
    query: SectionQuery,
    success: { status: 200, schema: SectionPage, description: "A page of sections." },
    handler: (call) =>
      pageByAge(call, {
        list: (db, accountId, page) => listSections(db, accountId, call.query.q, page),
        count: (db, accountId) => countSections(db, accountId, call.query.q),
        shape: shapeSummary,
      }),
  }),
  writeRoute({
    method: "POST",
    path: "/v1/sections",
    scope: write,
    audit: { action: "section.created", of: "answer" },
    tag,
    summary: "Save a section",
    description:
      "Blocks to put into other mails again, at most 512 KB. A mail takes a copy, in its own style: changing a section changes no mail.",
    body: SectionCreate,
    success: { status: 201, schema: Section, description: "The section." },
    problems: [sectionExists, tooManySections],
    async handler({ ctx, body, baseUrl }) {
      const row = await createSection(ctx, body);
      const location = `${baseUrl}/v1/sections/${toPublicId("sec", row.id)}`;
      return { ...answerWith(row, 201), headers: { location } };
    },
  }),
  readRoute({
    path: "/v1/sections/:id",
    scope: read,
    tag,
    summary: "Get a section",
    description: "With its blocks.",
    params: Params,
    success: { status: 200, schema: Section, description: "The section." },
    async handler({ ctx, params }) {
      const row = await findSection(ctx.sql, ctx.accountId, sectionId(params.id));
      if (!row) throw missing("section");
      return answerWith(row, 200);
    },
  }),
  writeRoute({
    method: "PATCH",
    path: "/v1/sections/:id",
    scope: write,
    audit: { action: "section.updated", of: "path" },
    tag,
    summary: "Change a section",
    description: "What is left out stays as it is; `blocks` is replaced as a whole.",
    params: Params,
    body: SectionPatch,
    success: { status: 200, schema: Section, description: "The section as it now is." },
    problems: [sectionExists],
    handler: async ({ ctx, params, body, ifMatch }) =>
      answerWith(await updateSection(ctx, sectionId(params.id), body, ifMatch), 200),
  }),
  writeRoute({
    method: "DELETE",
    path: "/v1/sections/:id",
    scope: write,
    audit: { action: "section.deleted", of: "path" },
    tag,
    summary: "Delete a section",
    description: "Mails that took its blocks keep them.",
    params: Params,
    success: { status: 204, schema: null, description: "Gone." },
    async handler({ ctx, params }) {
      await deleteSection(ctx, sectionId(params.id));
      return { status: 204 };
    },
  }),
];

function answerWith(row: SectionRow, status: number): Answer<Section> {
  return { status, body: { ...shapeSummary(row), blocks: row.blocks }, etag: sectionEtag(row) };
}

function shapeSummary(row: SectionHead): SectionSummary {
  return {
    object: "section",
    id: toPublicId("sec", row.id),
    name: row.name,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}
