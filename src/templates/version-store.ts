/** All statements about the versions of templates. A version is written once, and never changed. */
import type { CompiledContent } from "../content/content.ts";
import type { Actor } from "../platform/context.ts";
import { type Queryable, sql, type Tx } from "../platform/db/db.ts";
import type { TemplateContent } from "./content.ts";
import type { Variable } from "./variables.ts";

export type VersionHead = {
  readonly number: number;
  readonly subject: string;
  readonly actor_kind: Actor["kind"];
  readonly actor_id: string | null;
  readonly created_at: Date;
};
export type VersionRow = VersionHead & TemplateContent;

const head = sql`number, subject, actor_kind, actor_id, created_at`;
const contents = sql`preview_text, html, mjml, blocks, "text", variables`;

/** Writes a version, and forgets those that are older than the newest `keep`. */
export async function insertVersion(
  tx: Tx,
  accountId: string,
  templateId: string,
  row: VersionRow & { readonly digest: string; readonly compiled: CompiledContent },
  keep: number,
): Promise<void> {
  await tx.execute(sql`
    insert into template_versions (account_id, template_id, ${head}, ${contents}, digest, compiled)
    values (${accountId}, ${templateId}, ${row.number}, ${row.subject}, ${row.actor_kind}, ${row.actor_id},
      ${row.created_at}, ${row.preview_text}, ${row.html}, ${row.mjml},
      ${row.blocks && JSON.stringify(row.blocks)}::json, ${row.text},
      ${JSON.stringify(row.variables)}::json, ${row.digest}, ${JSON.stringify(row.compiled)}::json)`);
  await tx.execute(sql`
    delete from template_versions
    where account_id = ${accountId} and template_id = ${templateId} and number <= ${row.number - keep}`);
}

export function findVersion(
  db: Queryable,
  accountId: string,
  templateId: string,
  number: number,
): Promise<VersionRow | undefined> {
  return db.maybeOne<VersionRow>(sql`
    select ${head}, ${contents} from template_versions
    where account_id = ${accountId} and template_id = ${templateId} and number = ${number}`);
}

export type CompiledVersion = {
  readonly variables: readonly Variable[];
  readonly compiled: CompiledContent;
};

/** Reads what a version is rendered from. */
export function findCompiled(
  db: Queryable,
  accountId: string,
  templateId: string,
  number: number,
): Promise<CompiledVersion | undefined> {
  return db.maybeOne<CompiledVersion>(sql`
    select variables, compiled from template_versions
    where account_id = ${accountId} and template_id = ${templateId} and number = ${number}`);
}

export function listVersions(
  db: Queryable,
  accountId: string,
  templateId: string,
  page: { readonly limit: number; readonly below: number | undefined },
): Promise<VersionHead[]> {
  const below = page.below === undefined ? sql`` : sql`and number < ${page.below}`;
  return db.many<VersionHead>(sql`
    select ${head} from template_versions where account_id = ${accountId} and template_id = ${templateId} ${below}
    order by number desc limit ${page.limit}`);
}

export async function countVersions(db: Queryable, accountId: string, templateId: string): Promise<number> {
  const { count } = await db.one<{ count: number }>(sql`
    select count(*) as count from template_versions
    where account_id = ${accountId} and template_id = ${templateId}`);
  return count;
}
