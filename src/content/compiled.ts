/** A compiled content is plain data, so that it can be frozen with a campaign and passed to another thread. */
import { type ContentPart, faultWithoutPlace, type LineAndColumn } from "./faults.ts";
import type { NumberedLink } from "./html/html.ts";

/** Most servers refuse a mail larger than this, so a content that makes one has grown out of control. */
export const MAX_MAIL_CHARACTERS = 5_000_000;

export const overgrown = faultWithoutPlace(
  "too_large",
  null,
  "The mail grew beyond 5,000,000 characters. Make it shorter.",
);

/** A mail is joined from pieces: text that is the same for all, and slots for the values of one recipient. */
export type Piece = string | { readonly slot: number };

export type CompiledPart = "subject" | "html" | "text";

export type Slot =
  /** An expression, a condition or an assignment, which the fast path (`fast-render.ts`) computes. */
  | {
      readonly kind: "value";
      readonly part: CompiledPart;
      readonly source: string;
      /** The place where the author wrote it; null where compiling added it. */
      readonly place: LineAndColumn | null;
    }
  /** A loop or the like, which only LiquidJS renders, in a thread that can be killed. */
  | {
      readonly kind: "liquid";
      readonly part: CompiledPart;
      readonly source: string;
      /** The place where the author wrote it; null where compiling added it. */
      readonly place: LineAndColumn | null;
    }
  /** The address that all tracked links of a part begin with. Each link's number follows the slot as text. */
  | { readonly kind: "link_base"; readonly part: CompiledPart }
  | { readonly kind: "pixel"; readonly part: CompiledPart };

/** A name such as "first_name" or "fields.city" that Liquid reads, and where it is first used. */
export type UsedVariable = {
  readonly name: string;
  readonly part: ContentPart;
  readonly line: number;
  readonly column: number;
};

export type CompiledContent = {
  readonly format: 1;
  /** A hash of what is mailed: two contents with the same key are the same. */
  readonly key: string;
  readonly subject: readonly Piece[];
  readonly html: readonly Piece[] | null;
  readonly text: readonly Piece[];
  readonly slots: readonly Slot[];
  readonly links: readonly NumberedLink[];
  /** The names that the author's Liquid reads and doesn't assign, once for each part. */
  readonly variables: readonly UsedVariable[];
  /**
   * True where rendering costs so little in the worst case that `renderValues` may do it in any thread; otherwise the
   * workers must. Contents that were frozen before this bound existed lack the member, and go to the workers.
   */
  readonly isBounded: boolean;
};
