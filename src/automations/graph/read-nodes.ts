/** Reads the steps of an automation. */
import type {
  BranchNode,
  EmailMessage,
  EmailNode,
  Node,
  NodeType,
  SplitNode,
  WaitForNode,
  WaitNode,
} from "../graph-types.ts";
import { type Part, type Reading, refuseUnknown } from "./parts.ts";
import { readFieldValue } from "./read-change.ts";
import { readDateField, readRule, readTrigger } from "./read-entry.ts";

const MOST_WAYS = 10;
const MOST_TAGS = 20;
const MOST_LISTENED = 5;
const MOST_TOLD = 20;
const LONGEST_NAME = 100;
const LONGEST_LINE = 250;
const LONGEST_TEXT = 5_000;
const LONGEST_URL = 2_000;
const ALL_TENTHS = 1_000;

type Reader = (reading: Reading, part: Part) => Node | undefined;

/** `title` is what people call the step, on every type. */
const COMMON = ["type", "title"];

const readers: Readonly<Record<NodeType, { readonly keys: readonly string[]; readonly read: Reader }>> = {
  email: {
    keys: [
      "subject",
      "preview_text",
      "from_name",
      "from_email",
      "reply_to",
      "html",
      "mjml",
      "blocks",
      "template_id",
      "text",
      "topic_id",
      "next",
    ],
    read: (_, part) => readEmail(part),
  },
  wait: { keys: ["for", "until", "at", "weekdays", "next"], read: readWait },
  wait_for: { keys: ["on", "rule", "timeout", "then", "else"], read: readWaitFor },
  branch: { keys: ["ways", "else"], read: readBranch },
  split: { keys: ["ways"], read: (_, part) => readSplit(part) },
  goal: {
    keys: ["name", "next"],
    read(_, part) {
      const [name, next] = [part.text("name", LONGEST_NAME), readNext(part)];
      return name !== undefined && next !== undefined ? { type: "goal", name, next } : undefined;
    },
  },
  tag: {
    keys: ["add", "remove", "next"],
    read(_, part) {
      const [add, remove] = [part.texts("add", MOST_TAGS, 64), part.texts("remove", MOST_TAGS, 64)];
      if (!part.has("add") && !part.has("remove"))
        part.fault(undefined, "required", "give tags to add or to remove");
      const next = readNext(part);
      return next === undefined ? undefined : { type: "tag", add, remove, next };
    },
  },
  field: { keys: ["field", "value", "next"], read: readFieldNode },
  list: {
    keys: ["action", "list_id", "next"],
    read(_, part) {
      const action = part.oneOf("action", ["add", "copy", "move", "remove"]);
      const [listId, next] = [part.id("list_id", "list"), readNext(part)];
      return action && listId !== undefined && next !== undefined
        ? { type: "list", action, listId, next }
        : undefined;
    },
  },
  unsubscribe: { keys: [], read: () => ({ type: "unsubscribe" }) },
  webhook: {
    keys: ["url", "next"],
    read(_, part) {
      const [url, next] = [readUrl(part), readNext(part)];
      return url !== undefined && next !== undefined ? { type: "webhook", url, next } : undefined;
    },
  },
  notify: { keys: ["to", "subject", "text", "next"], read: (_, part) => readNotify(part) },
  end: { keys: [], read: () => ({ type: "end" }) },
};

const TYPES = Object.keys(readers) as NodeType[];

export function readNode(reading: Reading, part: Part): Node | undefined {
  const type = part.oneOf("type", TYPES);
  if (!type) return undefined;
  part.optionalText("title", LONGEST_NAME);
  refuseUnknown(part, [...COMMON, ...readers[type].keys]);
  return readers[type].read(reading, part);
}

function readNext(part: Part, key = "next"): string | undefined {
  return part.text(key, LONGEST_NAME);
}

function readEmail(part: Part): EmailNode | undefined {
  const subject = part.text("subject", LONGEST_LINE);
  for (const key of ["preview_text", "from_name"]) part.optionalText(key, LONGEST_LINE);
  for (const key of ["from_email", "reply_to"]) part.optionalText(key, 320);
  for (const key of ["html", "mjml", "text"])
    if (part.has(key) && typeof part.json[key] !== "string") part.fault(key, "invalid_type", "must be text");
  const contents = ["html", "mjml", "blocks", "template_id"].filter((key) => part.has(key));
  if (contents.length !== 1)
    part.fault(
      contents[1],
      contents.length === 0 ? "required" : "invalid_value",
      "give one of html, mjml, blocks, template_id",
    );
  if (part.has("template_id")) part.id("template_id", "template");
  if (part.has("topic_id")) part.id("topic_id", "topic");
  const next = readNext(part);
  if (subject === undefined || next === undefined) return undefined;
  const { type: _, title: __, next: ___, ...message } = part.json;
  return { type: "email", message: message as unknown as EmailMessage, next };
}

function readWait(reading: Reading, part: Part): WaitNode | undefined {
  const next = readNext(part);
  const span = part.has("for") ? part.span("for") : undefined;
  const until = part.has("until") ? readUntil(reading, part.part("until")) : undefined;
  const [at, weekdays] = [part.hour("at"), part.weekdays("weekdays")];
  if (part.has("for") && part.has("until"))
    part.fault("until", "invalid_value", "wait for a span or until a date, not both");
  if (!["for", "until", "at", "weekdays"].some((key) => part.has(key)))
    part.fault(undefined, "required", "say how long: for, until, at or weekdays");
  if (part.has("until") && !part.has("at"))
    part.fault("at", "required", "say at which hour of the date, such as 09:00");
  return next === undefined ? undefined : { type: "wait", for: span, until, at, weekdays, next };
}

function readUntil(reading: Reading, part: Part | undefined): WaitNode["until"] {
  if (!part) return undefined;
  refuseUnknown(part, ["field", "offset_days"]);
  const field = readDateField(reading, part, "field");
  const offsetDays = part.whole("offset_days", -366, 366, 0);
  return field === undefined || offsetDays === undefined ? undefined : { field, offsetDays };
}

function readWaitFor(reading: Reading, part: Part): WaitForNode | undefined {
  const on = part.has("on")
    ? part.parts("on", 1, MOST_LISTENED).flatMap((one) => readTrigger(reading, one, "wait") ?? [])
    : [];
  const rule = part.has("rule") ? readRule(reading, part, "rule") : undefined;
  if (!part.has("on") && !part.has("rule"))
    part.fault(undefined, "required", "say what to wait for: on or rule");
  const timeout = part.span("timeout");
  const [then, otherwise] = [readNext(part, "then"), readNext(part, "else")];
  if (timeout === undefined || then === undefined || otherwise === undefined) return undefined;
  return { type: "wait_for", on, rule, timeout, then, else: otherwise };
}

function readBranch(reading: Reading, part: Part): BranchNode | undefined {
  const ways = part.parts("ways", 1, MOST_WAYS).flatMap((way) => {
    refuseUnknown(way, ["if", "next"]);
    const rule = way.has("if") ? readRule(reading, way, "if") : way.fault("if", "required", "must be a rule");
    const next = readNext(way);
    return rule && next !== undefined ? [{ if: rule, next }] : [];
  });
  const otherwise = readNext(part, "else");
  return otherwise === undefined ? undefined : { type: "branch", ways, else: otherwise };
}

function readSplit(part: Part): SplitNode | undefined {
  const read = part.parts("ways", 2, MOST_WAYS).map((way) => {
    refuseUnknown(way, ["percent", "next"]);
    return { tenths: readPercent(way), next: readNext(way) };
  });
  const sum = read.reduce((total, { tenths }) => total + (tenths ?? 0), 0);
  if (read.length > 0 && read.every(({ tenths }) => tenths !== undefined) && sum !== ALL_TENTHS)
    part.fault("ways", "percent_sum", `the percents must sum up to 100, and are ${sum / 10}`);
  const ways = read.flatMap(({ tenths, next }) =>
    tenths !== undefined && next !== undefined ? [{ tenths, next }] : [],
  );
  return ways.length === read.length ? { type: "split", ways } : undefined;
}

/** A percent has one decimal at most, so that sums are exact. */
function readPercent(way: Part): number | undefined {
  const value = way.json["percent"];
  const tenths = typeof value === "number" ? Math.round(value * 10) : Number.NaN;
  const isGood = tenths >= 1 && tenths <= ALL_TENTHS && Math.abs(tenths / 10 - (value as number)) < 1e-9;
  return isGood
    ? tenths
    : way.fault("percent", "invalid_value", "must be from 0.1 to 100, with one decimal at most");
}

function readFieldNode(reading: Reading, part: Part): Node | undefined {
  const read = readFieldValue(reading, part);
  const next = readNext(part);
  return read && next !== undefined ? { type: "field", ...read, next } : undefined;
}

function readUrl(part: Part): string | undefined {
  const url = part.text("url", LONGEST_URL);
  if (url === undefined) return undefined;
  const isGood = URL.canParse(url) && ["https:", "http:"].includes(new URL(url).protocol);
  return isGood
    ? url
    : part.fault("url", "invalid_url", "must be an address such as https://example.com/hook");
}

/** Such mail goes to people of the account, not to just anybody. */
function readNotify(part: Part): Node | undefined {
  const to = part.ids("to", "user", MOST_TOLD);
  const [subject, text] = [part.text("subject", LONGEST_LINE), part.text("text", LONGEST_TEXT)];
  const next = readNext(part);
  if (subject === undefined || text === undefined || next === undefined) return undefined;
  return { type: "notify", to, subject, text, next };
}
