/** Says steps, triggers and exits in plain words. */
import { formatList } from "../../../i18n/format.ts";
import { partsOf, type Say, textOf } from "../../segments/rules/sentence.ts";
import { ownFieldOf } from "../../segments/rules/subjects.ts";
import { readTree } from "../../segments/rules/tree.ts";
import { type Graph, isJson, type Json, jsonIn, listIn, textIn, typeOf } from "./draft.ts";
import { partsOfSpan } from "./spans.ts";

const UNFINISHED = "…";
export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

const orUnfinished = (value: unknown) => textIn(value) || UNFINISHED;

export function sayRule(rule: unknown, say: Say): string | undefined {
  if (!isJson(rule)) return undefined;
  const root = readTree(rule);
  return root.members.length === 0 ? undefined : textOf(partsOf(root, say, false));
}

function saySpan(text: unknown, { t, formatNumber }: Say): string {
  const parts = partsOfSpan(textIn(text)).map(({ amount, unit }) =>
    t(`step.span.${unit}`, { count: amount, number: formatNumber(amount) }),
  );
  return parts.length === 0 ? t("step.span.none") : formatList(parts);
}

function sayField(name: unknown, { t, names }: Say): string {
  const key = textIn(name);
  if (key === "") return UNFINISHED;
  if (["first_name", "last_name", "locale", "time_zone"].includes(key))
    return t(`sentence.noun.${key as "first_name"}`);
  return ownFieldOf(key, names.fields)?.name ?? t("sentence.goneField");
}

function sayOffset(days: unknown, field: unknown, say: Say): string {
  const count = typeof days === "number" ? days : 0;
  const words = {
    field: sayField(field, say),
    count: Math.abs(count),
    number: say.formatNumber(Math.abs(count)),
  };
  if (count === 0) return say.t("step.offset.on", words);
  return count < 0 ? say.t("step.offset.before", words) : say.t("step.offset.after", words);
}

export function sayDays(days: unknown, { t }: Say): string | undefined {
  const known = WEEKDAYS.filter((day) => Array.isArray(days) && days.includes(day));
  return known.length === 0 ? undefined : formatList(known.map((day) => t(`step.days.${day}`)));
}

function sayWait(node: Json, say: Say): string {
  const { t } = say;
  const hour = textIn(node["at"]);
  const until = jsonIn(node["until"]);
  const days = sayDays(node["weekdays"], say);
  const main =
    node["until"] !== undefined
      ? t("step.wait.until", {
          hour: hour || UNFINISHED,
          date: sayOffset(until["offset_days"], until["field"], say),
        })
      : node["for"] !== undefined
        ? hour
          ? t("step.wait.forAt", { time: saySpan(node["for"], say), hour })
          : t("step.wait.for", { time: saySpan(node["for"], say) })
        : hour
          ? t("step.wait.at", { hour })
          : undefined;
  if (days === undefined) return main ?? t("step.wait.none");
  const on = t("step.wait.days", { days });
  return main === undefined ? capital(on) : t("step.wait.with", { wait: main, days: on });
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What a step is called: by its own name, or by what it does. */
export function sayStep(graph: Graph, id: string, say: Say): string {
  const node = graph.nodes[id];
  if (!node) return id;
  return textIn(node["title"]).trim() || sayDeed(graph, node, say);
}

function sayDeed(graph: Graph, node: Json, say: Say): string {
  const { t, names } = say;
  switch (typeOf(node)) {
    case "email":
      return textIn(node["subject"]).trim() || t("step.noSubject");
    case "wait":
      return sayWait(node, say);
    case "wait_for":
      return t("step.says.waitFor", {
        what: sayAwaited(graph, node, say),
        time: saySpan(node["timeout"], say),
      });
    case "branch": {
      const count = listIn(node["ways"]).length;
      return t("step.says.branch", { count, number: say.formatNumber(count) });
    }
    case "split":
      return t("step.says.split", {
        shares: listIn(node["ways"])
          .map(({ percent }) => `${percent ?? UNFINISHED}%`)
          .join(" · "),
      });
    case "goal":
      return t("step.says.goal", { name: orUnfinished(node["name"]) });
    case "tag":
      return sayTags(node, say);
    case "field": {
      const field = textIn(node["field"]);
      if (field === "") return t("step.says.noField");
      if (node["value"] === null) return t("step.says.fieldClear", { field: sayField(field, say) });
      return t("step.says.fieldSet", { field: sayField(field, say), value: sayValue(node["value"], say) });
    }
    case "list": {
      const list = names.byId[textIn(node["list_id"])] ?? UNFINISHED;
      const action = ["add", "copy", "move", "remove"].find((one) => one === node["action"]) ?? "add";
      return t(`step.says.list.${action as "add"}`, { list });
    }
    case "notify":
      return t("step.says.notify", { subject: orUnfinished(node["subject"]) });
    case "webhook":
      return t("step.says.webhook", { url: orUnfinished(node["url"]) });
    case "unsubscribe":
      return t("step.says.unsubscribe");
    case "end":
      return t("step.says.end");
    case undefined:
      return t("step.says.unknown");
  }
}

function sayValue(value: unknown, { t }: Say): string {
  if (typeof value === "boolean") return value ? t("step.fields.yes") : t("step.fields.no");
  return value === undefined || value === "" ? UNFINISHED : String(value);
}

function sayTags(node: Json, { t }: Say): string {
  const tags = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const [add, remove] = [tags(node["add"]), tags(node["remove"])];
  if (add.length > 0 && remove.length > 0)
    return t("step.says.tagBoth", { add: formatList(add), remove: formatList(remove) });
  if (add.length > 0) return t("step.says.tagAdd", { tags: formatList(add) });
  return remove.length > 0 ? t("step.says.tagRemove", { tags: formatList(remove) }) : t("step.says.noTags");
}

function sayAwaited(graph: Graph, node: Json, say: Say): string {
  const on = listIn(node["on"]).map((one) => sayTrigger(graph, one, say));
  const rule = sayRule(node["rule"], say);
  return [...on, ...(rule === undefined ? [] : [rule])].join(" / ") || UNFINISHED;
}

export function sayTrigger(graph: Graph, trigger: Json, say: Say, list = UNFINISHED): string {
  const { t, names } = say;
  const type = textIn(trigger["type"]);
  switch (type) {
    case "list_joined":
      return t("step.trigger.says.list_joined", { list });
    case "manual":
      return t("step.trigger.says.manual");
    case "tag_added":
    case "tag_removed":
      return t(`step.trigger.says.${type}`, { tag: orUnfinished(trigger["tag"]) });
    case "field_changed":
      return capital(t("step.trigger.says.field_changed", { field: sayField(trigger["field"], say) }));
    case "date": {
      const date = sayOffset(trigger["offset_days"], trigger["field"], say);
      const words = { date, hour: orUnfinished(trigger["at"]) };
      return capital(
        trigger["repeat"] === "yearly"
          ? t("step.trigger.says.dateYearly", words)
          : t("step.trigger.says.date", words),
      );
    }
    case "segment_entered":
    case "segment_left": {
      const id = textIn(trigger["segment_id"]);
      const segment = id === "" ? UNFINISHED : (names.byId[id] ?? t("step.trigger.goneSegment"));
      return t(`step.trigger.says.${type}`, { segment });
    }
    case "email_opened":
    case "email_clicked":
      return t(`step.trigger.says.${type}`, { mail: sayMail(graph, trigger, say) });
    case "event":
      return sayEvent(trigger["name"], trigger["where"], say);
    default:
      return t("step.trigger.says.unknown");
  }
}

function sayMail(graph: Graph, trigger: Json, say: Say): string {
  const { t, names } = say;
  const quoted = (value: string) => t("sentence.quoted", { value });
  const node = textIn(trigger["node"]);
  if (node !== "") return quoted(sayStep(graph, node, say));
  const campaign = textIn(trigger["campaign_id"]);
  if (campaign === "") return t("step.trigger.says.anyMail");
  return quoted(names.byId[campaign] ?? t("sentence.goneCampaign"));
}

function sayEvent(name: unknown, where: unknown, say: Say): string {
  const { t } = say;
  const pairs = Object.entries(jsonIn(where)).map(([key, value]) => `${key} = ${sayValue(value, say)}`);
  if (pairs.length === 0) return t("step.trigger.says.event", { name: orUnfinished(name) });
  return t("step.trigger.says.eventWhere", { name: orUnfinished(name), where: formatList(pairs) });
}

export function sayExit(graph: Graph, exit: Json, say: Say): string {
  const { t, names } = say;
  const segment = textIn(exit["leaves_segment_id"]);
  const what =
    exit["rule"] !== undefined
      ? capital(sayRule(exit["rule"], say) ?? UNFINISHED)
      : exit["leaves_segment_id"] !== undefined
        ? t("step.trigger.says.segment_left", {
            segment: segment === "" ? UNFINISHED : (names.byId[segment] ?? t("step.trigger.goneSegment")),
          })
        : exit["on"] !== undefined
          ? sayTrigger(graph, jsonIn(exit["on"]), say)
          : sayEvent(exit["event"], exit["where"], say);
  return exit["as"] === "goal" ? t("step.exits.says.goal", { what }) : t("step.exits.says.exit", { what });
}

/** What a way out of a step is called. */
export function sayWay(node: Json, key: string, say: Say): string {
  const { t } = say;
  const at = Number(key.split("/")[1]);
  const way = listIn(node["ways"])[at];
  if (node["type"] === "wait_for") return key === "then" ? t("step.ways.then") : t("step.ways.else");
  if (way === undefined) return t("step.ways.otherwise");
  if (node["type"] === "split") return t("step.ways.share", { percent: way["percent"] ?? UNFINISHED });
  const rule = sayRule(way["if"], say);
  return rule === undefined ? t("step.ways.noRule") : capital(rule);
}
