/** A compiled content is plain data, so that it can be frozen with a campaign and passed to another thread. */
import { type ContentPart, faultWithoutPlace, type LineAndColumn } from "./faults.ts";

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

/**
 * A link that the mail carries as a number. Each place in the HTML has its own, also where addresses are the same. Revisions
 * that were frozen before this was so have one for each address.
 */
export type NumberedLink = {
  readonly index: number;
  /** The address as the author wrote it, without parameters of ours; statistics group by it. */
  readonly url: string;
  /** True where the address holds Liquid. Without `liquid`, which older revisions lack, it stayed in the mail as it was. */
  readonly isDynamic: boolean;
  /** The number of the first link with the same address; absent where that is this one. */
  readonly group?: number;
  /** Where it leads; absent where that is `url`. */
  readonly target?: string;
  /** How the address is rendered when the link is followed. */
  readonly liquid?: LiquidAddress;
  /** True for the link that no person can see: whoever follows it is a machine. */
  readonly isHoneypot?: true;
};

/** An address with Liquid, as it would stand in the mail's HTML. */
export type LiquidAddress = {
  readonly pieces: readonly Piece[];
  readonly slots: readonly Slot[];
  /** Scheme and host, which are the author's own words: whatever the values are, it leads nowhere else. */
  readonly origin: string;
};

/** A link whose Liquid can't be rendered when it is followed, so that its clicks aren't counted. */
export type UntrackedLink = {
  readonly url: string;
  /** Ends the sentence "Clicks on it aren't counted, because …". */
  readonly why: string;
  readonly place: LineAndColumn | null;
};

/** Where a block begins in the pieces of the HTML, by its number; 0 stands for what is behind the last. */
export type BlockStart = { readonly piece: number; readonly offset: number; readonly number: number };

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
  /** Contents that were frozen before it was known lack the member. */
  readonly untracked?: readonly UntrackedLink[];
  /** Only mails made of blocks have it. */
  readonly blocks?: readonly BlockStart[];
  /**
   * True where rendering costs so little in the worst case that `renderValues` may do it in any thread; otherwise the
   * workers must. Contents that were frozen before this bound existed lack the member, and go to the workers.
   */
  readonly isBounded: boolean;
};
