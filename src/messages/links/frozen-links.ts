/** The links of revisions, as they were numbered when the message was frozen. */
import {
  type CompiledContent,
  type LiquidAddress,
  type MergeData,
  type NumberedLink,
  readLinkWords,
} from "../../content/content.ts";
import { uuidArray } from "../../platform/db/arrays.ts";
import { type Queryable, sql } from "../../platform/db/db.ts";

/** A link by its number. */
export type FrozenLink =
  | {
      readonly kind: "link";
      /** The address as its author wrote it. */
      readonly url: string;
      /** The number of the first link with the same address. */
      readonly group: number;
      /** Where it leads: an address, or what renders one. */
      readonly target: string | LiquidAddress;
    }
  | { readonly kind: "honeypot" }
  /** Its Liquid stayed in the mail, which older revisions list. */
  | { readonly kind: "untracked" };

export type FrozenLinks = {
  readonly links: readonly FrozenLink[];
} & Pick<MergeData, "list" | "campaign" | "postalAddress">;

/** Reads the links of a revision, with what templates read beside the recipient. */
export async function readFrozenLinks(db: Queryable, accountId: string, id: string): Promise<FrozenLinks> {
  const { links, ...frozen } = await db.one<
    Omit<FrozenLinks, "links"> & { links: readonly NumberedLink[] | null }
  >(sql`
    select content #> '{compiled,links}' as links, content -> 'list' as list, content -> 'campaign' as campaign,
           content ->> 'postalAddress' as "postalAddress"
    from revisions where account_id = ${accountId} and id = ${id}`);
  return { ...frozen, links: (links ?? []).map(toFrozen) };
}

/** Reads what the links of a revision say, by their numbers, from its whole HTML; one without words is left out. */
export async function readFrozenWords(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<ReadonlyMap<number, string>> {
  const compiled = await db.one<Pick<CompiledContent, "html" | "slots">>(sql`
    select content #> '{compiled,html}' as html, content #> '{compiled,slots}' as slots
    from revisions where account_id = ${accountId} and id = ${id}`);
  return readLinkWords(compiled);
}

/** The addresses of a revision's links, by their number; null for what isn't a link of its author's that is counted. */
export async function readLinkUrls(
  db: Queryable,
  accountId: string,
  id: string,
): Promise<readonly (string | null)[]> {
  return (await readManyLinkUrls(db, [{ accountId, id }])).get(id) ?? [];
}

/** The same of many revisions at once, by their ids. */
export async function readManyLinkUrls(
  db: Queryable,
  revisions: readonly { readonly accountId: string; readonly id: string }[],
): Promise<ReadonlyMap<string, readonly (string | null)[]>> {
  const rows = await db.many<{ id: string; links: readonly NumberedLink[] | null }>(sql`
    select id, content #> '{compiled,links}' as links from revisions
    where (account_id, id) in (
      select * from unnest(${uuidArray(revisions.map((one) => one.accountId))}::uuid[],
                           ${uuidArray(revisions.map((one) => one.id))}::uuid[]))`);
  return new Map(rows.map(({ id, links }) => [id, (links ?? []).map(toFrozen).map(urlOf)]));
}

function urlOf(link: FrozenLink): string | null {
  return link.kind === "link" ? link.url : null;
}

function toFrozen({ index, url, isDynamic, group = index, ...link }: NumberedLink): FrozenLink {
  if (link.isHoneypot) return { kind: "honeypot" };
  if (isDynamic && !link.liquid) return { kind: "untracked" };
  return { kind: "link", url, group, target: link.liquid ?? link.target ?? url };
}

type RevisionName = { readonly accountId: string; readonly revisionId: string };
/** What counting asks of a link: which address it belongs to, and whether it is the honeypot. */
export type CountedLink = { readonly group: number; readonly isHoneypot: boolean };

/** Tells of each of these revisions which links share an address; in their order. */
export async function readCountedLinks(
  db: Queryable,
  revisions: readonly RevisionName[],
): Promise<readonly (readonly CountedLink[])[]> {
  const rows = await db.many<{ groups: readonly number[] | null; honeypots: readonly number[] | null }>(sql`
    select (select array_agg(coalesce((l ->> 'group')::int, (l ->> 'index')::int) order by n)
            from jsonb_array_elements(r.content #> '{compiled,links}') with ordinality as e (l, n)) as groups,
           (select array_agg((l ->> 'index')::int)
            from jsonb_array_elements(r.content #> '{compiled,links}') as e (l) where l ? 'isHoneypot') as honeypots
    from unnest(${uuidArray(revisions.map((one) => one.accountId))}::uuid[],
                ${uuidArray(revisions.map((one) => one.revisionId))}::uuid[]) with ordinality as m (account_id, id, n)
    left join revisions r on r.account_id = m.account_id and r.id = m.id
    order by m.n`);
  return rows.map(({ groups, honeypots }) =>
    (groups ?? []).map((group, index) => ({ group, isHoneypot: honeypots?.includes(index) ?? false })),
  );
}
