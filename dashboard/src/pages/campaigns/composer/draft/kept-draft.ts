/** What couldn't be saved is kept in this browser, by the campaign and the state of it that was edited. */
import { type Draft, type DraftField, pickFields } from "./draft.ts";

export type KeptDraft = {
  readonly etag: string | undefined;
  /** When it was last typed at. */
  readonly at: string;
  /** The changed fields, as they were typed and as they were before. */
  readonly mine: Partial<Draft>;
  readonly base: Partial<Draft>;
};

const PREFIX = "postrider.draft.";
const keyOf = (id: string, etag: string | undefined) => `${PREFIX}${id}.${etag ?? ""}`;

function keysOf(id: string): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${id}.`));
}

type Unsaved = { readonly etag: string | undefined; readonly base: Draft; readonly draft: Draft };

export function keepDraft(id: string, { etag, base, draft }: Unsaved, fields: readonly DraftField[]): void {
  const kept: KeptDraft = {
    etag,
    at: new Date().toISOString(),
    mine: pickFields(draft, fields),
    base: pickFields(base, fields),
  };
  try {
    // The new one comes first: a tab that is closed in the midst of this must not be left without any.
    localStorage.setItem(keyOf(id, etag), JSON.stringify(kept));
    for (const key of keysOf(id)) if (key !== keyOf(id, etag)) localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing asks before the page is left.
  }
}

/** The newest that was kept of this campaign. */
export function findKeptDraft(id: string): KeptDraft | undefined {
  try {
    return keysOf(id)
      .map((key): KeptDraft => JSON.parse(localStorage.getItem(key) ?? "null"))
      .filter((kept) => kept !== null)
      .toSorted((one, other) => other.at.localeCompare(one.at))[0];
  } catch {
    return undefined;
  }
}

export function forgetDraft(id: string): void {
  try {
    for (const key of keysOf(id)) localStorage.removeItem(key);
  } catch {
    // Nothing was kept where nothing can be.
  }
}
