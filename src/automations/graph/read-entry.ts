/** Reads who enters an automation, what ends a run, and when mail may leave. */
import {
  EVENT_NAME,
  type FieldRow,
  LONGEST_EVENT_NAME,
  listsIn,
  type Rule,
  readConditions,
  readRules,
  tagKey,
} from "../../subscribers/subscribers.ts";
import type {
  Entry,
  EventTrigger,
  Exit,
  Hours,
  MailTrigger,
  Reentry,
  SendRules,
  Trigger,
} from "../graph-types.ts";
import { nextSendTime } from "../times/times.ts";
import { type Part, type Reading, refuseUnknown } from "./parts.ts";

const MOST_TRIGGERS = 10;
const MOST_EXITS = 10;
const LONGEST_TAG = 64;
const LONGEST_NAME = 100;
const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

const TRIGGERS = [
  "list_joined",
  "tag_added",
  "tag_removed",
  "field_changed",
  "date",
  "segment_entered",
  "segment_left",
  "email_opened",
  "email_clicked",
  "event",
  "manual",
] as const;

export function readEntry(reading: Reading, part: Part): Entry | undefined {
  refuseUnknown(part, ["on", "filter", "reentry", "key"]);
  const on = part.parts("on", 1, MOST_TRIGGERS).map((one) => readTrigger(reading, one, "entry"));
  const filter = part.has("filter") ? readRule(reading, part, "filter") : undefined;
  const reentry = part.has("reentry") ? readReentry(part.part("reentry")) : ({ mode: "once" } as const);
  const key = part.optionalText("key", LONGEST_NAME);
  if (key !== undefined && !PROPERTY_NAME.test(key))
    part.fault("key", "invalid_value", "must be the name of a property, such as cart_id");
  if (key !== undefined && on.some((one) => one && one.type !== "event"))
    part.fault("key", "invalid_value", "is a property of events, so every trigger must be an event");
  return reentry && { on: on.filter((one) => one !== undefined), filter, reentry, key };
}

function readReentry(part: Part | undefined): Reentry | undefined {
  const mode = part?.oneOf("mode", ["once", "after", "every_time"]);
  if (!part || !mode) return undefined;
  refuseUnknown(part, mode === "after" ? ["mode", "days"] : ["mode"]);
  if (mode !== "after") return { mode };
  const days = part.whole("days", 1, 3_660);
  return days === undefined ? undefined : { mode, days };
}

/** What a wait listens to happens to somebody who is in the automation already, so some triggers are for the entry alone. */
export function readTrigger(reading: Reading, part: Part, of: "entry" | "wait"): Trigger | undefined {
  const types =
    of === "entry" ? TRIGGERS : TRIGGERS.filter((one) => !["manual", "date", "list_joined"].includes(one));
  const type = part.oneOf("type", types);
  switch (type) {
    case undefined:
      return undefined;
    case "list_joined":
    case "manual":
      refuseUnknown(part, ["type"]);
      return { type };
    case "tag_added":
    case "tag_removed": {
      refuseUnknown(part, ["type", "tag"]);
      const tag = readTag(part, "tag");
      return tag === undefined ? undefined : { type, tag };
    }
    case "field_changed": {
      refuseUnknown(part, ["type", "field"]);
      const field = readField(reading, part, "field");
      return field && { type, field: field.name };
    }
    case "date":
      return readDateTrigger(reading, part);
    case "segment_entered":
    case "segment_left": {
      refuseUnknown(part, ["type", "segment_id"]);
      const segmentId = part.id("segment_id", "segment");
      return segmentId === undefined ? undefined : { type, segmentId };
    }
    case "email_opened":
    case "email_clicked":
      return readMailTrigger(reading, part, type);
    case "event":
      return readEventTrigger(part);
  }
}

function readDateTrigger(reading: Reading, part: Part): Trigger | undefined {
  refuseUnknown(part, ["type", "field", "offset_days", "repeat", "at"]);
  const field = readDateField(reading, part, "field");
  const offsetDays = part.whole("offset_days", -366, 366, 0);
  const repeat = part.oneOf("repeat", ["yearly", "once"]);
  const at = part.has("at")
    ? part.hour("at")
    : part.fault("at", "required", "say at which hour, such as 09:00");
  if (field === undefined || offsetDays === undefined || !repeat || at === undefined) return undefined;
  return { type: "date", field, offsetDays, repeat, at };
}

function readMailTrigger(reading: Reading, part: Part, type: MailTrigger["type"]): MailTrigger {
  refuseUnknown(part, ["type", "campaign_id", "node"]);
  const campaignId = part.has("campaign_id") ? part.id("campaign_id", "campaign") : undefined;
  const node = part.optionalText("node", LONGEST_NAME);
  if (node !== undefined && campaignId !== undefined)
    part.fault("node", "invalid_value", "name a campaign or a step of this automation, not both");
  if (node !== undefined) reading.mailsNamed.push({ node, pointer: part.at("node") });
  return { type, campaignId, node };
}

function readEventTrigger(part: Part): EventTrigger | undefined {
  refuseUnknown(part, ["type", "name", "where"]);
  const name = readEventName(part, "name");
  const where = part.has("where") ? readWhere(part.part("where")) : {};
  return name !== undefined && where ? { type: "event", name, where } : undefined;
}

function readEventName(part: Part, key: string): string | undefined {
  const name = part.text(key, LONGEST_EVENT_NAME);
  return name === undefined || EVENT_NAME.test(name)
    ? name
    : part.fault(key, "invalid_value", "must be a name such as order.placed");
}

function readWhere(part: Part | undefined): EventTrigger["where"] | undefined {
  return part && readConditions(part.json, (name, code, detail) => part.fault(name, code, detail));
}

export function readExits(reading: Reading, graph: Part): readonly Exit[] {
  if (!graph.has("exit")) return [];
  return graph.parts("exit", 0, MOST_EXITS).flatMap((part) => readExit(reading, part) ?? []);
}

function readExit(reading: Reading, part: Part): Exit | undefined {
  refuseUnknown(part, ["event", "where", "on", "rule", "leaves_segment_id", "as"]);
  const as = part.oneOf("as", ["goal", "exit"], "exit");
  const given = ["event", "on", "rule", "leaves_segment_id"].filter((key) => part.has(key));
  if (given.length !== 1)
    return part.fault(undefined, "required", "give one of event, on, rule, leaves_segment_id");
  if (part.has("where") && !part.has("event")) part.fault("where", "invalid_value", "is for events");
  if (!as) return undefined;
  if (part.has("on")) {
    const mail = part.part("on");
    const type = mail?.oneOf("type", ["email_opened", "email_clicked"]);
    return mail && type && { as, on: readMailTrigger(reading, mail, type) };
  }
  if (part.has("rule")) {
    const rule = readRule(reading, part, "rule");
    return rule && { as, rule };
  }
  if (part.has("leaves_segment_id")) {
    const leavesSegment = part.id("leaves_segment_id", "segment");
    return leavesSegment === undefined ? undefined : { as, leavesSegment };
  }
  const name = readEventName(part, "event");
  const where = part.has("where") ? readWhere(part.part("where")) : {};
  return name !== undefined && where ? { as, on: { type: "event", name, where } } : undefined;
}

export function readSendRules(graph: Part): SendRules {
  const none = { window: undefined, quiet: undefined, weekdays: [] };
  const part = graph.has("send") ? graph.part("send") : undefined;
  if (!part) return none;
  refuseUnknown(part, ["window", "quiet", "weekdays"]);
  const rules = {
    window: readHours(part, "window"),
    quiet: readHours(part, "quiet"),
    weekdays: part.weekdays("weekdays"),
  };
  if (!nextSendTime(new Date(0), "UTC", rules))
    part.fault(undefined, "never_sends", "no mail could ever leave: the quiet hours hold the whole window");
  return rules;
}

function readHours(part: Part, key: string): Hours | undefined {
  const hours = part.has(key) ? part.part(key) : undefined;
  if (!hours) return undefined;
  refuseUnknown(hours, ["from", "to"]);
  for (const one of ["from", "to"])
    if (!hours.has(one)) hours.fault(one, "required", "must be an hour such as 09:00");
  const [from, to] = [hours.hour("from"), hours.hour("to")];
  if (from === undefined || to === undefined) return undefined;
  return from === to ? hours.fault("to", "invalid_value", "must be another hour than from") : { from, to };
}

export function readRule(reading: Reading, part: Part, key: string): Rule | undefined {
  const read = readRules(part.json[key], reading.fields, part.at(key));
  if ("faults" in read) return void reading.faults.push(...read.faults);
  reading.ruleMentions.push(...read.mentions);
  const pointer = part.at(key);
  reading.mentions.push(...listsIn(read.rule).map((id) => ({ kind: "list", id, pointer }) as const));
  return read.rule;
}

export function readTag(part: Part, key: string): string | undefined {
  const tag = part.text(key, LONGEST_TAG)?.trim();
  return tag === undefined || tagKey(tag) !== "" ? tag : part.fault(key, "invalid_value", "must be a tag");
}

const BUILT_IN_FIELDS = ["first_name", "last_name", "locale", "time_zone"] as const;

type Field = {
  readonly name: string;
  readonly type: FieldRow["type"];
  /** Where it is one of a subscriber's own. */
  readonly plain?: (typeof BUILT_IN_FIELDS)[number];
};

/** Finds a field that may be written or watched: some of a subscriber's own, and custom ones. */
export function readField(reading: Reading, part: Part, key: string): Field | undefined {
  const name = part.text(key, LONGEST_NAME);
  if (name === undefined) return undefined;
  const plain = BUILT_IN_FIELDS.find((one) => one === name);
  if (plain) return { name, type: "text", plain };
  const custom = reading.fields.find((one) => `fields.${one.key}` === name);
  return custom
    ? { name: `field:${custom.id}`, type: custom.type }
    : part.fault(key, "unknown_field", "there is no such field");
}

export function readDateField(reading: Reading, part: Part, key: string): string | undefined {
  const field = readField(reading, part, key);
  if (!field || field.type === "date") return field?.name;
  return part.fault(key, "invalid_value", "must be a field that holds a date");
}
