/**
 * The draft for whoever shows only some of it. A mail is saved about once a second while somebody types, and each save goes through
 * several states: who shows nothing of what changed isn't drawn anew, which would slow typing.
 */
import { useRef } from "react";
import type { Campaign } from "../../../../api/openapi.ts";
import { isSameValue } from "../../../../drafts/draft-fields.ts";
import type { Draft, Drafting } from "./use-draft.ts";

const CONTENT: readonly string[] = ["html", "mjml", "blocks", "text"];
const AUDIENCE = ["id", "list_id", "segment_id", "topic_id"] as const;

/** All about the mail but its content, and how far it is saved. */
export type EnvelopeDrafting = Pick<Drafting, "faults" | "change"> & {
  readonly draft: Omit<Draft, "html" | "mjml" | "blocks" | "text">;
  readonly campaign: Pick<Campaign, (typeof AUDIENCE)[number]>;
};
export type BarDrafting = Pick<Drafting, "faults" | "change" | "state" | "campaign"> & {
  readonly draft: Pick<Draft, "name">;
};
export type ContentDrafting = Pick<Drafting, "draft" | "faults" | "change"> & {
  readonly campaign: Pick<Campaign, "checks">;
};

/** Each returns the same object for as long as nothing that it tells has changed. */
export const useEnvelope = (drafting: Drafting): EnvelopeDrafting =>
  useSteady(drafting, (before, after) =>
    [
      before.faults === after.faults,
      AUDIENCE.every((field) => before.campaign[field] === after.campaign[field]),
      (Object.keys(after.draft) as (keyof Draft)[]).every(
        (field) => CONTENT.includes(field) || before.draft[field] === after.draft[field],
      ),
    ].every(Boolean),
  );

export const useBar = (drafting: Drafting): BarDrafting =>
  useSteady(drafting, (before, after) =>
    [
      before.faults === after.faults,
      before.state.kind === after.state.kind,
      before.campaign.status === after.campaign.status,
      before.campaign.updated_at === after.campaign.updated_at,
      before.draft.name === after.draft.name,
    ].every(Boolean),
  );

export const useContent = (drafting: Drafting): ContentDrafting =>
  useSteady(drafting, (before, after) =>
    [
      before.draft === after.draft,
      before.faults === after.faults,
      isSameValue(before.campaign.checks, after.campaign.checks),
    ].every(Boolean),
  );

function useSteady<T>(value: T, isSame: (before: T, after: T) => boolean): T {
  const kept = useRef(value);
  if (!isSame(kept.current, value)) kept.current = value;
  return kept.current;
}
