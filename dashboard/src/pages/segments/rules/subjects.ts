/** What a rule can be about, and what can be said of it, as the API knows them; a test holds both against each other. */

export type Kind =
  | "text"
  | "number"
  | "boolean"
  | "date"
  | "time"
  | "status"
  | "tag"
  | "list"
  | "dormancy"
  | "sent"
  | "opened"
  | "clicked"
  | "event";

export const STATUSES: readonly string[] = ["active", "pending", "unsubscribed", "bounced", "complained"];
export const DORMANCIES: readonly string[] = ["warned", "dormant"];

const SET = ["is_set", "is_not_set"] as const;
const CAMPAIGN = ["campaign", "not_campaign"] as const;
const SEEN = ["any_of_last", "none_of_last", "in_last_days", "not_in_last_days"] as const;

/** The first is what a new rule begins with. */
export const OPS = {
  text: ["is", "is_not", "contains", "not_contains", "starts_with", "ends_with", "one_of", ...SET],
  number: ["is", "is_not", "above", "below", "at_least", "at_most", "between", ...SET],
  boolean: ["is", ...SET],
  date: ["is", "before", "after", "between", "in_last_days", "in_next_days", ...SET],
  time: ["in_last_days", "not_in_last_days", "before", "after", "between", ...SET],
  status: ["is", "is_not", "one_of"],
  tag: ["has", "has_not"],
  list: ["is", "is_not"],
  dormancy: ["is", "is_not"],
  sent: [...CAMPAIGN, "at_least", "fewer_than"],
  opened: ["in_last_days", "not_in_last_days", "any_of_last", "none_of_last", ...CAMPAIGN],
  clicked: [...SEEN, ...CAMPAIGN, "link", "not_link"],
  event: ["did", "did_not"],
} as const satisfies Readonly<Record<Kind, readonly string[]>>;
export type Op = (typeof OPS)[Kind][number];

/** What isn't a field of the account's own, in the groups in which it is offered. */
export const SUBJECTS = {
  person: {
    tag: "tag",
    status: "status",
    list: "list",
    email: "text",
    first_name: "text",
    last_name: "text",
    locale: "text",
    time_zone: "text",
    source: "text",
    tracking_consent: "boolean",
    dormancy: "dormancy",
  },
  mail: { opened: "opened", clicked: "clicked", sent: "sent" },
  elsewhere: { event: "event" },
  times: {
    created_at: "time",
    updated_at: "time",
    confirmed_at: "time",
    unsubscribed_at: "time",
    tracking_consent_at: "time",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Kind>>>>;

export type SubjectGroup = keyof typeof SUBJECTS;
export type BuiltIn = { [G in SubjectGroup]: keyof (typeof SUBJECTS)[G] }[SubjectGroup];

const BUILT_IN: Readonly<Record<string, Kind>> = Object.assign({}, ...Object.values(SUBJECTS));

type FieldType = "text" | "number" | "boolean" | "date" | "url";
/** A field of the account's own. */
export type OwnField = { readonly key: string; readonly name: string; readonly type: FieldType };

export const isBuiltIn = (field: string): field is BuiltIn => Object.hasOwn(BUILT_IN, field);

export const ownFieldOf = (field: string, fields: readonly OwnField[]) =>
  fields.find(({ key }) => field === `fields.${key}`);

/** Undefined is a field that is gone, or not read yet. */
export function kindOf(field: string, fields: readonly OwnField[]): Kind | undefined {
  if (isBuiltIn(field)) return BUILT_IN[field];
  const type = ownFieldOf(field, fields)?.type;
  return type === "url" ? "text" : type;
}

/** What has to be typed or chosen beside a field and an op. */
export type Shape =
  | "none"
  | "days"
  | "campaigns"
  | "campaign"
  | "mails"
  | "link"
  | "texts"
  | "statuses"
  | "between"
  | "text"
  | "number"
  | "boolean"
  | "day"
  | "status"
  | "tag"
  | "list"
  | "dormancy"
  | "event";

const SHAPES: Readonly<Record<string, Shape>> = {
  is_set: "none",
  is_not_set: "none",
  in_last_days: "days",
  not_in_last_days: "days",
  in_next_days: "days",
  any_of_last: "campaigns",
  none_of_last: "campaigns",
  campaign: "campaign",
  not_campaign: "campaign",
  link: "link",
  not_link: "link",
  between: "between",
};

export function shapeOf(kind: Kind, op: string): Shape {
  const byOp = SHAPES[op];
  if (byOp) return byOp;
  if (op === "one_of") return kind === "status" ? "statuses" : "texts";
  switch (kind) {
    case "date":
    case "time":
      return "day";
    case "sent":
      return op === "at_least" || op === "fewer_than" ? "mails" : "campaign";
    case "opened":
    case "clicked":
      return "campaign";
    default:
      return kind;
  }
}

/** What a new rule begins with where there is something sensible. */
export function firstValue(shape: Shape): unknown {
  const values: Partial<Record<Shape, unknown>> = {
    days: 30,
    campaigns: 5,
    mails: { mails: 5, days: 180 },
    boolean: true,
    status: "active",
    dormancy: "warned",
    statuses: ["active"],
    texts: [],
    between: [undefined, undefined],
    link: {},
    event: { days: 30 },
  };
  return values[shape];
}
