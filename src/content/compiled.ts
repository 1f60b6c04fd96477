/** What compiling makes: plain data, to be frozen with a campaign and sent to another thread. */
import { type ContentPart, faultWithoutPlace, type LineAndColumn } from "./faults.ts";
import type { Link } from "./html/html.ts";

/** A mail above this is refused by most servers, so a content that makes one has run away. */
export const MAX_MAIL_CHARACTERS = 5_000_000;

export const overgrown = faultWithoutPlace(
  "too_large",
  null,
  "The mail grew beyond 5,000,000 characters. Make it shorter.",
);

/** What a mail is joined from: bytes that are the same for all, and places for one recipient's values. */
export type Piece = string | { readonly slot: number };

export type CompiledPart = "subject" | "html" | "text";

export type Slot =
  /** An expression, a condition or an assignment: closures compute it. */
  | {
      readonly kind: "value";
      readonly part: CompiledPart;
      readonly source: string;
      /** Where it stands in what the author wrote; null where it was added. */
      readonly place: LineAndColumn | null;
    }
  /** A loop or the like, which only LiquidJS renders, in a thread that can be killed. */
  | {
      readonly kind: "liquid";
      readonly part: CompiledPart;
      readonly source: string;
      /** Where it stands in what the author wrote; null where it was added. */
      readonly place: LineAndColumn | null;
    }
  /** What all links of a mail begin with, one slot for a part: their numbers are text behind it. */
  | { readonly kind: "link_base"; readonly part: CompiledPart }
  | { readonly kind: "pixel"; readonly part: CompiledPart };

/** A name such as "first_name" or "fields.city", and where it is first used. */
export type UsedVariable = {
  readonly name: string;
  readonly part: ContentPart;
  readonly line: number;
  readonly column: number;
};

export type CompiledContent = {
  readonly format: 1;
  /** Of the mail's content: two contents with the same key are the same. */
  readonly key: string;
  readonly subject: readonly Piece[];
  readonly html: readonly Piece[] | null;
  readonly text: readonly Piece[];
  readonly slots: readonly Slot[];
  readonly links: readonly Link[];
  /** What the author's Liquid reads and doesn't assign, once for each part. */
  readonly variables: readonly UsedVariable[];
  /**
   * Whether it costs so little at the worst that `renderValues` may render it in any thread; otherwise the workers must.
   * A content that was frozen before there was a bound hasn't got it, and goes to the workers.
   */
  readonly isBounded: boolean;
};
