/** How what is typed stands to what is saved. */
import type { Campaign } from "../../../../api/openapi.ts";
import type { ApiError } from "../../../../api/problem.ts";
import type { Draft, DraftField } from "./draft.ts";

/** An answer with the ETag of what it says. */
export type Answered = { readonly body: Campaign; readonly etag: string | undefined };

export type DraftState =
  | { readonly kind: "saved" }
  /** Typed, and not sent yet. */
  | { readonly kind: "unsaved" }
  | { readonly kind: "saving" }
  /** The service is away or the session ended: it is tried again by itself. */
  | { readonly kind: "waiting"; readonly error: ApiError }
  /** Some fields were refused; the others are saved. */
  | { readonly kind: "refused"; readonly error: ApiError }
  /** Somebody else changed the same fields. Nothing is saved until one of the two is chosen. */
  | {
      readonly kind: "conflict";
      readonly theirs: Answered;
      readonly contested: readonly DraftField[];
    }
  /** It was sent meanwhile, so that it can't be changed any more. */
  | { readonly kind: "locked" }
  | { readonly kind: "deleted" };

export type Snapshot = {
  /** The last answer, with its checks. */
  readonly campaign: Campaign;
  readonly draft: Draft;
  readonly state: DraftState;
  /** What was said of a field, by its name or its path, such as `utm.source`. */
  readonly faults: Readonly<Record<string, string>>;
  /** What somebody else changed while nothing of mine stood against it. */
  readonly taken: { readonly by: Campaign["updated_by"]; readonly at: string } | undefined;
};
