/** What couldn't be saved is kept in this browser, by the thing and the tab: two tabs must not overwrite each other's. */

export type KeptDraft<D> = {
  readonly etag: string | undefined;
  /** When it was last typed at. */
  readonly at: string;
  /** The changed fields, as they were typed and as they were before. */
  readonly mine: Partial<D>;
  readonly base: Partial<D>;
};

const PREFIX = "postrider.draft.";
/** A page that is opened anew is another tab to this one. */
const TAB = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`;
const ownKey = (id: string) => `${PREFIX}${id}.${TAB}`;

export function keepDraft<D>(id: string, unsaved: Omit<KeptDraft<D>, "at">): void {
  const kept: KeptDraft<D> = { ...unsaved, at: new Date().toISOString() };
  try {
    localStorage.setItem(ownKey(id), JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing asks before the page is left.
  }
}

/** Forgets what this tab kept. What an earlier visit kept stays until somebody decides about it. */
export function forgetDraft(id: string): void {
  forgetFound(ownKey(id));
}

export type FoundDraft<D> = KeptDraft<D> & { readonly key: string };

/** The newest that another tab or an earlier visit kept of this thing. This is asked when a visit begins. */
export function findKeptDraft<D>(id: string): FoundDraft<D> | undefined {
  try {
    setAside(id);
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(`${PREFIX}${id}.`) && key !== ownKey(id))
      .map((key): FoundDraft<D> => ({ ...JSON.parse(localStorage.getItem(key) ?? "null"), key }))
      .filter(({ at }) => at !== undefined)
      .toSorted((one, other) => other.at.localeCompare(one.at))[0];
  } catch {
    return undefined;
  }
}

/** What an earlier visit in this same tab kept would be forgotten with the first thing that this visit saves. */
function setAside(id: string): void {
  const kept = localStorage.getItem(ownKey(id));
  if (kept === null) return;
  localStorage.setItem(`${ownKey(id)}.${Date.now().toString(36)}`, kept);
  localStorage.removeItem(ownKey(id));
}

export function forgetFound(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing was kept where nothing can be.
  }
}
