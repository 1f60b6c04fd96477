/** The draft for whoever shows nothing of the mail's content, so that a key in the editor needn't draw them anew. */
import { useRef } from "react";
import type { Draft, Drafting } from "./use-draft.ts";

const CONTENT = ["html", "mjml", "blocks", "text"] as const;
type Envelope = Omit<Draft, (typeof CONTENT)[number]>;
export type EnvelopeDrafting = Omit<Drafting, "draft"> & { readonly draft: Envelope };

/** Returns the same object for as long as nothing but the content changes. */
export function useEnvelope(drafting: Drafting): EnvelopeDrafting {
  const kept = useRef(drafting);
  if (!isSame(kept.current, drafting)) kept.current = drafting;
  return kept.current;
}

function isSame(before: Drafting, after: Drafting): boolean {
  const fields = Object.keys(after.draft) as (keyof Draft)[];
  const isContent = (field: keyof Draft) => (CONTENT as readonly string[]).includes(field);
  return (
    (["state", "campaign", "faults", "taken"] as const).every((part) => before[part] === after[part]) &&
    fields.every((field) => isContent(field) || before.draft[field] === after.draft[field])
  );
}
