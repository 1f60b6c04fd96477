/** This file says what a message is before it is frozen as a revision. */
import type { TrackingMode } from "../accounts/accounts.ts";
import type { BlocksDocument, Utm } from "../content/content.ts";
import type { Stream } from "../delivery/delivery.ts";

type Name = { readonly id: string; readonly name: string };

/** A message is subject, content, sender and tracking, whatever it is part of. */
export type Message = {
  readonly stream: Stream;
  readonly subject: string;
  readonly previewText: string | null;
  readonly html: string | null;
  readonly mjml: string | null;
  readonly blocks: BlocksDocument | null;
  readonly text: string | null;
  /** The sender that the message names itself. What is null here comes from its list, and then from the account. */
  readonly sender: {
    readonly name: string | null;
    readonly email: string | null;
    readonly replyTo: string | null;
  };
  readonly tracking: Tracking;
  /** What is added to its links; null adds nothing. */
  readonly utm: Utm | null;
  /** The list that it is sent to; null for mail that belongs to no list. */
  readonly listId: string | null;
  /** The topic that it is sent with; null for mail of none. */
  readonly topicId: string | null;
  /** The public id of what it is part of, such as cmp_…: receivers group their statistics by it. */
  readonly ownerId: string;
  /** What templates read as `campaign`; null for mail that is part of none. */
  readonly campaign: Name | null;
};

export type Tracking = { readonly opens: boolean; readonly clicks: boolean };

/**
 * The links in mail that this instance answers. A link that nobody answers isn't put into mail: then the author's own stays,
 * there is no pixel, and without an unsubscribe link mail leaves for nowhere but the sandbox.
 */
export type Served = Tracking & { readonly unsubscribe: boolean };

/** Previews and tests carry the author's own links, and no pixel. */
export const UNTRACKED: Tracking = { opens: false, clicks: false };

/** The mode may forbid what the message asks for, and the message may ask for less than the mode allows. */
export function trackingOf({ tracking }: Message, served: Tracking, mode: TrackingMode): Tracking {
  if (mode === "off") return UNTRACKED;
  return { opens: served.opens && tracking.opens, clicks: served.clicks && tracking.clicks };
}
