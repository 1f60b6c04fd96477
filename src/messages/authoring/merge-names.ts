/** Says what an author may write between `{{` and `}}` or `{%` and `%}`, with the values that one recipient has. */
import { listLiquidNames, toScope } from "../../content/content.ts";
import type { Ctx } from "../../platform/context.ts";
import { fromPublicId } from "../../platform/ids.ts";
import { AppError, invalidQuery } from "../../platform/problems.ts";
import { findSubscriber, type MergeValues, mergeValuesOf } from "../../subscribers/subscribers.ts";
import { type MessageTools, offeredVariables, sampleSubscriber } from "../checking/checking.ts";
import { INERT_TOKEN, linksFor } from "../links/links.ts";
import { listNameOf, postalAddressOf, readSenderDefaults, type SenderDefaults } from "../sender-defaults.ts";
import type { MergeNames } from "./schema.ts";

export type NamesFor = {
  readonly listId: string | null;
  /** Null is a made-up recipient. */
  readonly subscriberId: string | null;
};

export async function readMergeNames(
  ctx: Ctx,
  tools: MessageTools,
  { listId, subscriberId }: NamesFor,
): Promise<MergeNames> {
  const defaults = await readSenderDefaults(ctx, tools, { listId, topicId: null, stream: "campaign" });
  const subscriber = await readValues(ctx, defaults, subscriberId);
  const scope = toScope({
    subscriber,
    list: listNameOf({ listId }, defaults),
    campaign: null,
    postalAddress: postalAddressOf(defaults),
    urls: linksFor(tools.publicUrl(), INERT_TOKEN),
  });
  const { tags, filters } = listLiquidNames();
  return {
    object: "merge_names",
    variables: offeredVariables(defaults.fields).map((name) => ({
      name,
      ...describe(name, defaults),
      value: textOf(valueAt(scope, name)),
    })),
    tags: [...tags],
    filters: [...filters],
  };
}

async function readValues(
  ctx: Ctx,
  { fields }: SenderDefaults,
  subscriberId: string | null,
): Promise<MergeValues> {
  if (subscriberId === null) return sampleSubscriber(fields);
  const id = fromPublicId("sub", subscriberId);
  const row = id && (await findSubscriber(ctx.sql, ctx.accountId, id));
  if (row) return mergeValuesOf(row, fields);
  const detail = "there is no such subscriber in this account";
  const faults = [{ parameter: "subscriber_id", code: "not_found", detail }];
  throw new AppError(invalidQuery, detail, { faults });
}

function describe(
  name: string,
  { fields }: SenderDefaults,
): Pick<MergeNames["variables"][number], "label" | "type"> {
  const field = fields.find(({ key }) => name === `fields.${key}`);
  if (field) return { label: field.name, type: field.type };
  const type = name.endsWith("_url") ? "url" : name === "subscriber.tags" ? "list" : "text";
  return { label: null, type };
}

function valueAt(scope: object, name: string): unknown {
  return name
    .split(".")
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      scope,
    );
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === "") return null;
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(", ");
  return String(value);
}
