/** What couldn't be saved is kept in this browser, by the id of what was edited and the state of it. */

export type KeptDraft<D> = {
  readonly etag: string | undefined;
  /** When it was last typed at. */
  readonly at: string;
  /** The changed fields, as they were typed and as they were before. */
  readonly mine: Partial<D>;
  readonly base: Partial<D>;
};

const PREFIX = "postrider.draft.";
const keyOf = (id: string, etag: string | undefined) => `${PREFIX}${id}.${etag ?? ""}`;

function keysOf(id: string): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(`${PREFIX}${id}.`));
}

export function keepDraft<D>(id: string, unsaved: Omit<KeptDraft<D>, "at">): void {
  const { etag } = unsaved;
  const kept: KeptDraft<D> = { ...unsaved, at: new Date().toISOString() };
  try {
    // The new one comes first: a tab that is closed in the midst of this must not be left without any.
    localStorage.setItem(keyOf(id, etag), JSON.stringify(kept));
    for (const key of keysOf(id)) if (key !== keyOf(id, etag)) localStorage.removeItem(key);
  } catch {
    // A browser that keeps nothing asks before the page is left.
  }
}

/** The newest that was kept of this thing. */
export function findKeptDraft<D>(id: string): KeptDraft<D> | undefined {
  try {
    return keysOf(id)
      .map((key): KeptDraft<D> => JSON.parse(localStorage.getItem(key) ?? "null"))
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
