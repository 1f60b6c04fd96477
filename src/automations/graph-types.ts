/** The graph of an automation, as it is read from JSON: who enters, what ends a run, and the steps. */
import type { Rule } from "../subscribers/subscribers.ts";

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** Ids in it are those of the database; `field` is a built-in name of a date, or `field:<uuid>` of a custom field. */
export type Graph = {
  readonly start: string;
  readonly entry: Entry;
  readonly exit: readonly Exit[];
  readonly send: SendRules;
  readonly nodes: ReadonlyMap<string, Node>;
};

export type Entry = {
  readonly on: readonly Trigger[];
  readonly filter: Rule | undefined;
  readonly reentry: Reentry;
  /** The property of the event by which a person may be in several runs at once, such as a cart's id. */
  readonly key: string | undefined;
};

export type Reentry =
  | { readonly mode: "once" }
  | { readonly mode: "every_time" }
  | { readonly mode: "after"; readonly days: number };

export type Trigger =
  | { readonly type: "list_joined" }
  | { readonly type: "manual" }
  | { readonly type: "tag_added" | "tag_removed"; readonly tag: string }
  | { readonly type: "field_changed"; readonly field: string }
  | DateTrigger
  | SegmentTrigger
  | MailTrigger
  | EventTrigger;

/** So many days after a date of the person, or before it where `offsetDays` is negative, at an hour of their own clock. */
export type SegmentTrigger = {
  readonly type: "segment_entered" | "segment_left";
  readonly segmentId: string;
};

export type DateTrigger = {
  readonly type: "date";
  readonly field: string;
  readonly offsetDays: number;
  readonly repeat: "yearly" | "once";
  readonly at: string;
};

/** What a person did with a mail: of a campaign, of a step of this automation, or of any. */
export type MailTrigger = {
  readonly type: "email_opened" | "email_clicked";
  readonly campaignId: string | undefined;
  readonly node: string | undefined;
};

export type EventTrigger = {
  readonly type: "event";
  readonly name: string;
  /** What its properties must be, by their names. */
  readonly where: Readonly<Record<string, string | number | boolean>>;
};

export type Exit = { readonly as: "goal" | "exit" } & (
  | { readonly on: EventTrigger | MailTrigger }
  | { readonly rule: Rule }
  | { readonly leavesSegment: string }
);

/** When mail may leave, by the clock of the person, or else of the account. */
export type SendRules = {
  readonly window: Hours | undefined;
  readonly quiet: Hours | undefined;
  readonly weekdays: readonly Weekday[];
};

/** From an hour to another, "20:00" to "08:00" being over midnight. */
export type Hours = { readonly from: string; readonly to: string };

export type Node =
  | EmailNode
  | WaitNode
  | WaitForNode
  | BranchNode
  | SplitNode
  | { readonly type: "goal"; readonly name: string; readonly next: string }
  | {
      readonly type: "tag";
      readonly add: readonly string[];
      readonly remove: readonly string[];
      readonly next: string;
    }
  | {
      readonly type: "field";
      readonly field: string;
      readonly value: string | number | boolean | null;
      readonly next: string;
    }
  | {
      readonly type: "list";
      readonly action: "add" | "copy" | "move" | "remove";
      readonly listId: string;
      readonly next: string;
    }
  | { readonly type: "unsubscribe" }
  | { readonly type: "webhook"; readonly url: string; readonly next: string }
  | {
      readonly type: "notify";
      readonly to: readonly string[];
      readonly subject: string;
      readonly text: string;
      readonly next: string;
    }
  | { readonly type: "end" };

export type EmailNode = {
  readonly type: "email";
  readonly message: EmailMessage;
  readonly next: string;
};

/** What a step mails, as the fields of a campaign are called. What is left out is the list's or the account's. */
export type EmailMessage = {
  readonly subject: string;
  readonly preview_text?: string;
  readonly from_name?: string;
  readonly from_email?: string;
  readonly reply_to?: string;
  readonly html?: string;
  readonly mjml?: string;
  readonly blocks?: unknown;
  readonly template_id?: string;
  readonly text?: string;
  readonly topic_id?: string;
};

/** Waits for a span, until a date of the person, or neither; then until an hour and a day of the week, where these are given. */
export type WaitNode = {
  readonly type: "wait";
  readonly for: string | undefined;
  readonly until: { readonly field: string; readonly offsetDays: number } | undefined;
  readonly at: string | undefined;
  readonly weekdays: readonly Weekday[];
  readonly next: string;
};

export type WaitForNode = {
  readonly type: "wait_for";
  readonly on: readonly Trigger[];
  readonly rule: Rule | undefined;
  readonly timeout: string;
  readonly then: string;
  readonly else: string;
};

export type BranchNode = {
  readonly type: "branch";
  readonly ways: readonly { readonly if: Rule; readonly next: string }[];
  readonly else: string;
};

export type SplitNode = {
  readonly type: "split";
  /** In tenths of a percent, which sum up to 1,000. */
  readonly ways: readonly { readonly tenths: number; readonly next: string }[];
};

export type NodeType = Node["type"];
