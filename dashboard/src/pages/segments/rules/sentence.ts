/** Says rules as a sentence, in parts, so that what was chosen stands out from the words between. */
import type { TFunction } from "i18next";
import {
  DORMANCIES,
  isBuiltIn,
  type Kind,
  kindOf,
  type Op,
  type OwnField,
  ownFieldOf,
  STATUSES,
  shapeOf,
} from "./subjects.ts";
import type { Condition, Group, Node } from "./tree.ts";

export type Part = { readonly text: string; readonly isStrong: boolean };

/** What the ids and keys in the rules are called. */
type Names = {
  readonly fields: readonly OwnField[];
  /** Lists and campaigns, by id. */
  readonly byId: Readonly<Record<string, string>>;
};

export type Say = {
  readonly t: TFunction;
  readonly names: Names;
  /** How people of the language write them. */
  readonly formatNumber: (value: number) => string;
  readonly formatDay: (value: string) => string;
};

export function sentenceOf(root: Group, listName: string | null, say: Say): readonly Part[] {
  const { t } = say;
  const beginning =
    listName === null ? t("sentence.everybody") : t("sentence.everybodyOn", { list: listName });
  const rules = root.members.length > 0 ? [plain(" "), ...partsOf(root, say, false)] : [];
  return [plain(beginning), ...rules, plain(t("sentence.end"))];
}

export const textOf = (parts: readonly Part[]) => parts.map(({ text }) => text).join("");

const plain = (text: string): Part => ({ text, isStrong: false });

/** A group inside another stands in brackets. */
export function partsOf(node: Node, say: Say, isInner: boolean): readonly Part[] {
  const { t } = say;
  const nots = Array.from({ length: node.nots }, () => plain(t("sentence.not")));
  if (node.kind === "condition") return [...nots, { text: phraseOf(node, say), isStrong: true }];
  const isMany = node.members.length > 1;
  const word = plain(node.word === "all" ? t("sentence.and") : t("sentence.or"));
  const parts = node.members.flatMap((one, at) => [...(at > 0 ? [word] : []), ...partsOf(one, say, isMany)]);
  if (!isMany || (!isInner && node.nots === 0)) return [...nots, ...parts];
  return [...nots, plain(t("sentence.open")), ...parts, plain(t("sentence.close"))];
}

/** One condition in words, such as “whose status is active”. */
function phraseOf(condition: Condition, say: Say): string {
  const { t, names } = say;
  const { field, value, machines } = condition;
  const op = condition.op as Op;
  const kind = kindOf(field, names.fields);
  if (kind === "tag")
    return t(op === "has" ? "sentence.has" : "sentence.has_not", { tag: shown(value, say) });
  if (kind === "list") {
    const list = names.byId[String(value)] ?? (value === undefined ? UNFINISHED : t("sentence.goneList"));
    return t(op === "is" ? "sentence.onList" : "sentence.notOnList", { list });
  }
  if (kind === "sent" || kind === "opened" || kind === "clicked")
    return mailPhrase(kind, op, value, machines === true, say);
  if (kind === "event") return eventPhrase(op === "did", value, say);
  const own = ownFieldOf(field, names.fields);
  const noun = isBuiltIn(field)
    ? t(`sentence.noun.${field as "email"}`)
    : own
      ? t("sentence.field", { name: own.name })
      : t("sentence.goneField");
  return t("sentence.whose", { noun, predicate: predicateOf(op, value, kind, say) });
}

const UNFINISHED = "…";

function predicateOf(op: Op, value: unknown, kind: Kind | undefined, say: Say): string {
  const [low, high] = Array.isArray(value) ? value : [];
  const isDays = kind !== undefined && shapeOf(kind, op) === "days";
  return say.t(`sentence.predicate.${op as "is"}`, {
    value: shown(value, say, kind),
    low: shown(low, say, kind),
    high: shown(high, say, kind),
    ...(isDays && { count: Number(value) || 0 }),
  });
}

function mailPhrase(
  kind: "sent" | "opened" | "clicked",
  op: Op,
  value: unknown,
  withMachines: boolean,
  { t, names }: Say,
): string {
  const link = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const id = op === "link" || op === "not_link" ? link["campaign_id"] : value;
  const campaign = names.byId[String(id)] ?? (id === undefined ? UNFINISHED : t("sentence.goneCampaign"));
  const phrase = t(`sentence.${kind}.${op as "campaign"}`, {
    campaign,
    url: String(link["url"] ?? UNFINISHED),
    count: Number(typeof value === "object" ? link["mails"] : value) || 0,
    days: String(link["days"] ?? UNFINISHED),
  });
  return withMachines ? t("sentence.withMachines", { phrase }) : phrase;
}

function eventPhrase(isDone: boolean, value: unknown, say: Say): string {
  const { t } = say;
  const { name, days, count, where } = (typeof value === "object" ? (value ?? {}) : {}) as Record<
    string,
    unknown
  >;
  const times = count === undefined ? "" : t("sentence.event.times", { count: Number(count) || 0 });
  const within = days === undefined ? "" : t("sentence.event.days", { count: Number(days) || 0 });
  const properties = Object.entries((where ?? {}) as Record<string, unknown>).map(([key, one]) =>
    t("sentence.event.with", { key, value: shown(one, say) }),
  );
  const event = String(name ?? UNFINISHED);
  const phrase = t(isDone ? "sentence.event.did" : "sentence.event.did_not", { event });
  return [phrase, times, within, ...properties].filter(Boolean).join(" ");
}

function shown(value: unknown, say: Say, kind?: Kind): string {
  const { t, formatNumber, formatDay } = say;
  if (value === undefined || value === "") return UNFINISHED;
  if (Array.isArray(value))
    return value.length === 0 ? UNFINISHED : value.map((one) => shown(one, say, kind)).join(", ");
  if (typeof value === "boolean") return value ? t("sentence.yes") : t("sentence.no");
  if (typeof value === "number") return formatNumber(value);
  const text = String(value);
  const isDay = (kind === "date" || kind === "time") && !Number.isNaN(Date.parse(text));
  if (isDay) return formatDay(text);
  if (kind === "dormancy" && DORMANCIES.includes(text)) return t(`sentence.dormancy.${text as "warned"}`);
  const isStatus = kind === "status" && STATUSES.includes(text);
  return isStatus ? t(`sentence.status.${text as "active"}`) : t("sentence.quoted", { value: text });
}

/** A rule that wants a no about opens or clicks leaves out those of whom nobody can know. */
export function asksForNone(node: Node, isInverted = false): boolean {
  const isNot = isInverted !== (node.nots % 2 === 1);
  if (node.kind === "group") return node.members.some((one) => asksForNone(one, isNot));
  const isSeen = node.field === "opened" || node.field === "clicked";
  return isSeen && isNot !== /^(not_|none_)/.test(node.op);
}
