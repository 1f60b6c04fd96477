/**
 * Works out from a template alone what it can cost: how long each value can become, and how many characters are read
 * and written. A template below the limit may be rendered in a thread that sends for everybody. One without a bound
 * (a loop, a list that is built up, a date in an unknown format) may not.
 */
import {
  AssignTag,
  CaptureTag,
  CaseTag,
  CommentTag,
  EchoTag,
  type Filter,
  IfTag,
  InlineCommentTag,
  LiquidTag,
  Output,
  RawTag,
  type Template,
  type Token,
  TypeGuards,
  UnlessTag,
  type Value,
} from "liquidjs";
import { LinkTag, PixelTag } from "./engine.ts";
import { growthOf } from "./growth.ts";
import { filterWork, ITEM, mostParts, PART, searchWork } from "./work.ts";

/** Lengths are in UTF-16 units. A text field holds 1,000 characters of up to two units each; a web address is as long. */
const LONGEST_VALUE = 2_000;
const LONGEST_NAME = 400;
/** These are the lengths of a hundred tags, and of a whole subscriber with two hundred fields. */
const LONGEST_TAGS = 20_000;
const MOST_TAGS = 100;
const LONGEST_WHOLE = 1_000_000;
const SHORT_NAMES: ReadonlySet<string> = new Set(["first_name", "last_name", "email"]);
const WHOLES: ReadonlySet<string> = new Set(["fields", "subscriber", "list", "campaign"]);

/** Looking at a node costs this much, however little it writes. */
const STEP = 50;
/** A comparison touches each character at most a few times. */
const COMPARING = 2;
/** The length of "false" as text. */
const TRUTH = 5;

/** The greatest length of a value as text, and the greatest number of its items where it may be a list. */
type Size = {
  readonly length: number;
  readonly items: number;
  /** True where the value is certainly a list, in which no text is searched for. */
  readonly isList: boolean;
};

type Bounds = {
  cost: number;
  /** The greatest size of each assigned variable. It never shrinks, so a branch that isn't taken counts too. */
  readonly assigned: Map<string, Size>;
};

/** Returns the worst cost of one part's nodes in their order, or Infinity where there is no bound. */
export function worstCost(nodes: readonly Template[]): number {
  const bounds: Bounds = { cost: 0, assigned: new Map() };
  boundAll(nodes, bounds);
  return bounds.cost;
}

/** Returns the greatest length of the text of these nodes. */
function boundAll(nodes: readonly Template[], bounds: Bounds): number {
  let length = 0;
  for (const node of nodes) {
    bounds.cost += STEP;
    length += boundNode(node, bounds);
    if (!(bounds.cost < Number.POSITIVE_INFINITY)) return length;
  }
  bounds.cost += length;
  return length;
}

function boundNode(node: Template, bounds: Bounds): number {
  if (node instanceof Output) return boundText(node.value, bounds);
  if (TypeGuards.isHTMLToken(node.token)) return node.token.getContent().length;
  if (node instanceof LinkTag || node instanceof PixelTag) return LONGEST_VALUE;
  if (node instanceof IfTag || node instanceof UnlessTag) {
    for (const { value } of node.branches) boundValue(value, bounds);
    return longest([...node.branches.map(({ templates }) => templates), node.elseTemplates ?? []], bounds);
  }
  if (node instanceof CaseTag) return boundCase(node, bounds);
  if (node instanceof AssignTag) {
    const [value] = node.arguments() as Iterable<Value>;
    const [name] = node.localScope();
    return value && name ? assign(name.content, boundValue(value, bounds), bounds) : unbounded(bounds);
  }
  if (node instanceof CaptureTag)
    return assign(node.variable, text(boundAll(node.templates, bounds)), bounds);
  if (node instanceof EchoTag) {
    const [value] = node.arguments() as Iterable<Value>;
    return value ? 5 * boundText(value, bounds) : 0;
  }
  if (node instanceof LiquidTag) return boundAll(node.templates, bounds);
  if (node instanceof RawTag) return node.render().length;
  if (node instanceof CommentTag || node instanceof InlineCommentTag) return 0;
  return unbounded(bounds);
}

function unbounded(bounds: Bounds): number {
  bounds.cost = Number.POSITIVE_INFINITY;
  return 0;
}

function assign(name: string, size: Size, { assigned }: Bounds): number {
  assigned.set(name, larger(size, assigned.get(name)));
  return 0;
}

function text(length: number): Size {
  return { length, items: 0, isList: false };
}

function larger(one: Size, other: Size | undefined): Size {
  if (!other) return one;
  return {
    length: Math.max(one.length, other.length),
    items: Math.max(one.items, other.items),
    isList: one.isList && other.isList,
  };
}

function longest(bodies: readonly (readonly Template[])[], bounds: Bounds): number {
  return Math.max(...bodies.map((nodes) => boundAll(nodes, bounds)));
}

/** LiquidJS writes every branch that matches, not only the first. */
function boundCase({ value, branches, elseTemplates }: CaseTag, bounds: Bounds): number {
  const sought = boundValue(value, bounds);
  let length = 0;
  for (const { values, templates } of branches) {
    for (const token of values) bounds.cost += STEP + comparison("==", sought, boundToken(token, bounds));
    length += boundAll(templates, bounds);
  }
  return Math.max(length, boundAll(elseTemplates, bounds));
}

/** A list is written item by item, so each item costs something. */
function boundText(value: Value, bounds: Bounds): number {
  const { length, items } = boundValue(value, bounds);
  bounds.cost += PART * items;
  return length;
}

function boundValue(value: Value, bounds: Bounds): Size {
  const stack: Size[] = [];
  for (const token of value.initial.postfix) {
    bounds.cost += STEP;
    if (!TypeGuards.isOperatorToken(token)) stack.push(boundToken(token, bounds));
    else {
      const right = stack.pop() ?? text(0);
      const left = token.operator === "not" ? text(0) : (stack.pop() ?? text(0));
      bounds.cost += comparison(token.operator, left, right);
      stack.push(text(TRUTH));
    }
  }
  let size = stack.reduce<Size>((largest, one) => larger(one, largest), stack[0] ?? text(0));
  for (const filter of value.filters) size = boundFilter(filter, size, bounds);
  bounds.cost += size.length;
  return size;
}

function comparison(operator: string, left: Size, right: Size): number {
  if (operator === "and" || operator === "or") return 0;
  const touched = COMPARING * (left.length + right.length) + ITEM * Math.max(left.items, right.items);
  return operator !== "contains" || left.isList ? touched : touched + searchWork(left.length, right.length);
}

/** The filters that return a list when they are given one. */
const listFilters: ReadonlySet<string> = new Set(["slice", "compact", "uniq", "reverse", "raw", "default"]);

function boundFilter({ name, args }: Filter, { length, items, isList }: Size, bounds: Bounds): Size {
  const tokens = args.map((arg) => (Array.isArray(arg) ? arg[1] : arg));
  const given = tokens.map((token) => ({
    ...(token ? boundToken(token, bounds) : text(0)),
    literal: token && "content" in token ? token.content : undefined,
  }));
  const growth = growthOf(name, length, given);
  if (!growth) return text(unbounded(bounds));
  const [needle = { length: 0, literal: "" }] = given;
  // Only for a literal is it known how short it may be.
  const shortest = typeof needle.literal === "string" ? needle.literal.length : 0;
  const listed = given.reduce((sum, one) => sum + one.items, items);
  bounds.cost += STEP + growth.cost + growth.length + filterWork(name, length, needle.length, shortest);
  bounds.cost += (/^(?:json|jsonify|inspect)$/.test(name) ? ITEM : PART) * listed;
  if (name === "split") return { length: growth.length, items: mostParts(length, shortest), isList: true };
  if (!listFilters.has(name)) return text(growth.length);
  const own = { length: growth.length, items, isList };
  return given.reduce(
    (all, { items: more, isList: too }) => larger({ ...all, items: more, isList: too }, all),
    own,
  );
}

function boundToken(token: Token, bounds: Bounds): Size {
  if ("content" in token) return text(String(token.content ?? "").length);
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable) return text(unbounded(bounds));
  bounds.cost += STEP * token.props.length;
  for (const prop of token.props) boundToken(prop, bounds);
  const [first, second] = token.props.map((prop) => ("content" in prop ? String(prop.content) : undefined));
  // A computed name may be that of any value.
  if (first === undefined) {
    const whole = { length: LONGEST_WHOLE, items: MOST_TAGS, isList: false };
    return [...bounds.assigned.values()].reduce((all, one) => larger(one, all), whole);
  }
  return larger(givenSize(first, second, token.props.length), bounds.assigned.get(first));
}

function givenSize(first: string, second: string | undefined, depth: number): Size {
  if (SHORT_NAMES.has(first)) return text(LONGEST_NAME);
  if (!WHOLES.has(first)) return text(LONGEST_VALUE);
  if (depth === 1 || second === undefined) return { length: LONGEST_WHOLE, items: MOST_TAGS, isList: false };
  if (first !== "subscriber" || depth > 2) return text(LONGEST_VALUE);
  if (second === "tags") return { length: LONGEST_TAGS, items: MOST_TAGS, isList: true };
  return second === "fields"
    ? { length: LONGEST_WHOLE, items: MOST_TAGS, isList: false }
    : text(LONGEST_VALUE);
}
