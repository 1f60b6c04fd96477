/** What others take of a template: a mail takes the published version with values, a campaign takes its content. */
import type { ContentWorkers, MergeData } from "../content/content.ts";
import type { Ctx } from "../platform/context.ts";
import { fromPublicId } from "../platform/ids.ts";
import { createLruCache } from "../platform/lru-cache.ts";
import type { Fault } from "../platform/problems.ts";
import type { TemplateContent } from "./content.ts";
import { type Rendered, refuseWhenBusy, renderCompiled } from "./render.ts";
import { findPublishedVersion } from "./store.ts";
import { undeclaredNames } from "./undeclared.ts";
import { readValues } from "./variables.ts";
import { type CompiledVersion, findCompiled, findVersion } from "./version-store.ts";

/** Names the version that something was made from. */
export type TemplateRef = { readonly id: string; readonly version: number };

type Found<T> = (TemplateRef & T) | { readonly fault: Fault };

const NOT_FOUND: Fault = {
  pointer: "/template_id",
  code: "not_found",
  detail: "there is no such template in this account",
};
const NOT_PUBLISHED: Fault = {
  pointer: "/template_id",
  code: "template_not_published",
  detail: "the template isn't published yet: POST /v1/templates/{id}/publish does that",
};

async function findPublished({ sql, accountId }: Ctx, publicId: string): Promise<Found<object>> {
  const id = fromPublicId("tpl", publicId);
  const version = id === undefined ? undefined : await findPublishedVersion(sql, accountId, id);
  if (id === undefined || version === undefined) return { fault: NOT_FOUND };
  return version === null ? { fault: NOT_PUBLISHED } : { id, version };
}

/** Reads the content of the published version, as its author wrote it. */
export async function readPublished(
  ctx: Ctx,
  publicId: string,
): Promise<Found<{ readonly content: TemplateContent }>> {
  const found = await findPublished(ctx, publicId);
  if ("fault" in found) return found;
  const content = await findVersion(ctx.sql, ctx.accountId, found.id, found.version);
  return content ? { ...found, content } : { fault: NOT_FOUND };
}

type Filled = { readonly rendered: Rendered; readonly template: TemplateRef };
/** Renders the published version of a template for mail, or names everything that is wrong with what was given for it. */
export type FillTemplate = (
  ctx: Ctx,
  publicId: string,
  values: Readonly<Record<string, unknown>>,
) => Promise<Filled | { readonly faults: readonly Fault[] }>;

/** A process keeps so many compiled versions, of at most so many characters each, since mails are made of the same few. */
const MOST_KEPT = 50;
const LONGEST_KEPT = 1_000_000;

export function createTemplateFiller(workers: Pick<ContentWorkers, "render">): FillTemplate {
  const kept = createLruCache<CompiledVersion>(MOST_KEPT);
  // All mails of a request are made of the same version, which is asked for once.
  const asked = new WeakMap<Ctx, Map<string, ReturnType<typeof findPublished>>>();

  function findOnce(ctx: Ctx, publicId: string): ReturnType<typeof findPublished> {
    const ofRequest = asked.get(ctx) ?? new Map<string, ReturnType<typeof findPublished>>();
    asked.set(ctx, ofRequest);
    const found = ofRequest.get(publicId) ?? findPublished(ctx, publicId);
    ofRequest.set(publicId, found);
    return found;
  }

  async function readCompiled(ctx: Ctx, { id, version }: TemplateRef): Promise<CompiledVersion | undefined> {
    const key = `${ctx.accountId} ${id} ${version}`;
    const known = kept.get(key);
    if (known) return known;
    const read = await findCompiled(ctx.sql, ctx.accountId, id, version);
    if (read && JSON.stringify(read).length <= LONGEST_KEPT) kept.set(key, read);
    return read;
  }

  return async (ctx, publicId, given) => {
    const template = await findOnce(ctx, publicId);
    if ("fault" in template) return { faults: [template.fault] };
    const version = await readCompiled(ctx, template);
    if (!version) return { faults: [NOT_FOUND] };
    const { values, faults } = readValues(version.variables, given, true);
    const ofCampaigns = campaignNames(version);
    if (ofCampaigns) return { faults: [ofCampaigns, ...faults] };
    if (faults.length > 0) return { faults };
    const made = await renderCompiled(workers, ctx.accountId, version.compiled, {
      ...NOBODY,
      variables: values,
    });
    if (made.ok) return { rendered: made.rendered, template };
    refuseWhenBusy([made.fault]);
    const { code, detail } = made.fault;
    return { faults: [{ pointer: "/variables", code, detail }] };
  };
}

/** A mail that a program sends has no subscriber, and an unsubscribe link without one would lead nowhere. */
function campaignNames({ compiled, variables }: CompiledVersion): Fault | undefined {
  const names = [...new Set(undeclaredNames(compiled, variables).map(({ name }) => name))];
  if (names.length === 0) return undefined;
  const detail = `the template reads ${names.slice(0, 5).join(", ")}, which only campaigns have: declare a variable, or take it out`;
  return { pointer: "/template_id", code: "campaign_template", detail };
}

const NOBODY: MergeData = {
  subscriber: { email: "", fields: {} },
  list: null,
  campaign: null,
  postalAddress: null,
  urls: { unsubscribe: "", preferences: "", view: "", linkBase: "", pixel: "" },
};
