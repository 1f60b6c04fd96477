/**
 * What a template can cost at the worst, worked out from the template alone: how long each value can become, and how many
 * characters are read and written on the way. What stays below the limit may be rendered in a thread that sends for everybody;
 * whatever has no bound here (a loop, a list that is built up, a date written by a format that isn't known) may not.
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

/** In characters. A text field holds 1,000 of up to two UTF-16 units each; a web address as many. */
const LONGEST_VALUE = 2_000;
const LONGEST_NAME = 400;
/** A hundred tags, and all of a subscriber with two hundred fields. */
const LONGEST_TAGS = 20_000;
const LONGEST_WHOLE = 1_000_000;
const SHORT_NAMES: ReadonlySet<string> = new Set(["first_name", "last_name", "email"]);
const WHOLES: ReadonlySet<string> = new Set(["fields", "subscriber", "list", "campaign"]);

/** To look at a node takes this much, however little it writes. */
const STEP = 50;
/** Comparing and searching touch a character a few times at the worst. */
const SEARCHING = 2;
/** "false" as text. */
const TRUTH = 5;

type Bounds = {
  cost: number;
  /** How long what was assigned may be. It never shrinks, so a branch that isn't taken counts too. */
  readonly assigned: Map<string, number>;
};

/** Of one part's nodes in their order. Infinity where there is no bound. */
export function worstCost(nodes: readonly Template[]): number {
  const bounds: Bounds = { cost: 0, assigned: new Map() };
  boundAll(nodes, bounds);
  return bounds.cost;
}

/** How long the text of these nodes can be. */
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
  if (node instanceof Output) return boundValue(node.value, bounds);
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
  if (node instanceof CaptureTag) return assign(node.variable, boundAll(node.templates, bounds), bounds);
  if (node instanceof EchoTag) {
    const [value] = node.arguments() as Iterable<Value>;
    return value ? 5 * boundValue(value, bounds) : 0;
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

function assign(name: string, length: number, { assigned }: Bounds): number {
  assigned.set(name, Math.max(assigned.get(name) ?? 0, length));
  return 0;
}

function longest(bodies: readonly (readonly Template[])[], bounds: Bounds): number {
  return Math.max(...bodies.map((nodes) => boundAll(nodes, bounds)));
}

/** Every branch that matches is written, not only the first. */
function boundCase({ value, branches, elseTemplates }: CaseTag, bounds: Bounds): number {
  const sought = boundValue(value, bounds);
  let length = 0;
  for (const { values, templates } of branches) {
    for (const token of values) bounds.cost += STEP + sought + boundToken(token, bounds);
    length += boundAll(templates, bounds);
  }
  return Math.max(length, boundAll(elseTemplates, bounds));
}

function boundValue(value: Value, bounds: Bounds): number {
  const stack: number[] = [];
  for (const token of value.initial.postfix) {
    bounds.cost += STEP;
    if (!TypeGuards.isOperatorToken(token)) stack.push(boundToken(token, bounds));
    else {
      const right = stack.pop() ?? 0;
      const left = token.operator === "not" ? 0 : (stack.pop() ?? 0);
      if (token.operator !== "and" && token.operator !== "or") bounds.cost += SEARCHING * (left + right);
      stack.push(TRUTH);
    }
  }
  let length = Math.max(0, ...stack);
  for (const filter of value.filters) length = boundFilter(filter, length, bounds);
  bounds.cost += length;
  return length;
}

function boundFilter({ name, args }: Filter, length: number, bounds: Bounds): number {
  const tokens = args.map((arg) => (Array.isArray(arg) ? arg[1] : arg));
  const given = tokens.map((token) => ({
    length: token ? boundToken(token, bounds) : 0,
    literal: token && "content" in token ? token.content : undefined,
  }));
  const growth = growthOf(name, length, given);
  if (!growth) return unbounded(bounds);
  bounds.cost += STEP + growth.cost + growth.length;
  return growth.length;
}

function boundToken(token: Token, bounds: Bounds): number {
  if ("content" in token) return String(token.content ?? "").length;
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable) return unbounded(bounds);
  bounds.cost += STEP * token.props.length;
  for (const prop of token.props) boundToken(prop, bounds);
  const [first, second] = token.props.map((prop) => ("content" in prop ? String(prop.content) : undefined));
  // A computed name may be that of anything.
  if (first === undefined) return Math.max(LONGEST_WHOLE, ...bounds.assigned.values());
  return Math.max(givenLength(first, second, token.props.length), bounds.assigned.get(first) ?? 0);
}

function givenLength(first: string, second: string | undefined, depth: number): number {
  if (SHORT_NAMES.has(first)) return LONGEST_NAME;
  if (!WHOLES.has(first)) return LONGEST_VALUE;
  if (depth === 1 || second === undefined) return LONGEST_WHOLE;
  if (first !== "subscriber" || depth > 2) return LONGEST_VALUE;
  if (second === "tags") return LONGEST_TAGS;
  return second === "fields" ? LONGEST_WHOLE : LONGEST_VALUE;
}
