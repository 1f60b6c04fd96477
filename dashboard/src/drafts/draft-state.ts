/** How what is typed stands to what is saved. */
import type { List } from "../api/openapi.ts";
import type { ApiError } from "../api/problem.ts";

/** What is edited as a draft: a campaign or a template. */
export type Editable = {
  readonly id: string;
  readonly updated_at: string;
  readonly updated_by: List["updated_by"];
};

/** An answer with the ETag of what it says. */
export type Answered<T> = { readonly body: T; readonly etag: string | undefined };

export type DraftState<T, F> =
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
      readonly theirs: Answered<T>;
      readonly contested: readonly F[];
    }
  /** It was sent meanwhile, so that it can't be changed any more. */
  | { readonly kind: "locked" }
  | { readonly kind: "deleted" };

export type Snapshot<T extends Editable, F extends keyof T> = {
  /** The last answer. */
  readonly body: T;
  readonly draft: Pick<T, F>;
  readonly state: DraftState<T, F>;
  /** What was said of a field, by its name or its path, such as `utm.source`. */
  readonly faults: Readonly<Record<string, string>>;
  /** What somebody else changed while nothing of mine stood against it. */
  readonly taken: { readonly by: List["updated_by"]; readonly at: string } | undefined;
};
