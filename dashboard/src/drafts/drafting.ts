/** What a page has of the draft that it edits, whatever it is of. */
import type { Editable, Snapshot } from "./draft-state.ts";
import type { Saver } from "./saver.ts";

export type DraftingOf<T extends Editable, F extends keyof T & string> = Omit<Snapshot<T, F>, "body"> &
  Pick<
    Saver<T, F>,
    | "change"
    | "save"
    | "etag"
    | "choose"
    | "resume"
    | "replace"
    | "keep"
    | "isUnsaved"
    | "dismissTaken"
    | "heedTyping"
  >;

export type OpenedDraft<D> =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: Error; readonly retry: () => void }
  | ({ readonly kind: "open" } & D);
