/** Writes templates as the API returns them. */
import { shapeUpdatedBy } from "../accounts/accounts.ts";
import { toPublicId } from "../platform/ids.ts";
import type { Uses } from "./edit.ts";
import type { Template, TemplateSummary, TemplateVersion, TemplateVersionSummary } from "./schema.ts";
import type { TemplateHead, TemplateRow } from "./store.ts";
import type { VersionHead, VersionRow } from "./version-store.ts";

const NO_USES: Uses = { campaigns: 0, unsent: 0 };

/** Says of a template what is the same in lists and by itself. */
function shapeHead(row: TemplateHead): Omit<TemplateSummary, "used_by"> {
  return {
    object: "template",
    id: toPublicId("tpl", row.id),
    name: row.name,
    subject: row.subject,
    preview_text: row.preview_text,
    variables: [...row.variables],
    draft_version: row.draft_version,
    published_version: row.published_version,
    has_unpublished_changes: row.digest !== row.published_digest,
    published_at: row.published_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    updated_by: shapeUpdatedBy(row.updated_by),
  };
}

export function shapeSummary(row: TemplateHead, { campaigns, unsent }: Uses = NO_USES): TemplateSummary {
  return { ...shapeHead(row), used_by: { campaigns, unsent_campaigns: unsent } };
}

export function shapeTemplate(row: TemplateRow): Template {
  return { ...shapeHead(row), html: row.html, mjml: row.mjml, blocks: row.blocks, text: row.text };
}

type Names = ReadonlyMap<string, string>;

export function shapeVersionHead(templateId: string, row: VersionHead, names: Names): TemplateVersionSummary {
  return {
    object: "template_version",
    template_id: toPublicId("tpl", templateId),
    number: row.number,
    subject: row.subject,
    actor: { kind: row.actor_kind, id: row.actor_id, name: names.get(row.actor_id ?? "") ?? null },
    created_at: row.created_at.toISOString(),
  };
}

export function shapeVersion(templateId: string, row: VersionRow, names: Names): TemplateVersion {
  const { preview_text, html, mjml, blocks, text, variables } = row;
  return {
    ...shapeVersionHead(templateId, row, names),
    preview_text,
    html,
    mjml,
    blocks,
    text,
    variables: [...variables],
  };
}
