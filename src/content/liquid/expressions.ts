/** Compiles Liquid expressions into functions: the template is looked up once, and a recipient costs only the calls. */
import {
  type Context,
  defaultOperators,
  type Expression,
  type Filter,
  type Liquid,
  type Token,
  TypeGuards,
  toValue,
  toValueSync,
  type Value,
} from "liquidjs";
import { type PlaceFilter, placeFilters, toText } from "../escape.ts";
import { chargeWork } from "./engine.ts";
import { ITEM, searchWork } from "./work.ts";

export type Evaluate = (ctx: Context) => unknown;

/** Returns null where the expression holds something that only LiquidJS itself computes. */
export function compileValue(value: Value, engine: Liquid): Evaluate | null {
  let evaluate = compileExpression(value.initial);
  for (const filter of value.filters) evaluate = evaluate && compileFilter(filter, evaluate, engine);
  return evaluate;
}

function compileExpression({ postfix }: Expression): Evaluate | null {
  const stack: Evaluate[] = [];
  for (const token of postfix) {
    const made = TypeGuards.isOperatorToken(token)
      ? compileOperator(token.operator, stack)
      : compileToken(token);
    if (!made) return null;
    stack.push(made);
  }
  // LiquidJS takes the first of several operands without an operator. It computes the others too, which can't be seen
  // from outside.
  return stack[0] ?? (() => undefined);
}

function compileOperator(name: string, stack: Evaluate[]): Evaluate | null {
  const apply = defaultOperators[name] as ((...operands: unknown[]) => IterableIterator<unknown>) | undefined;
  const right = stack.pop();
  if (!apply || !right) return null;
  if (name === "not") return (ctx) => toValueSync(apply(right(ctx), ctx));
  const left = stack.pop();
  if (!left) return null;
  if (name === "and" || name === "or") return (ctx) => toValueSync(apply(left(ctx), right(ctx), ctx));
  const isSearch = name === "contains";
  return (ctx) => {
    const [within, sought] = [left(ctx), right(ctx)];
    chargeComparison(ctx, within, sought, isSearch);
    return toValueSync(apply(within, sought, ctx));
  };
}

/**
 * Charges for a comparison before it is made, because nothing can stop it then. Comparing two texts costs next to
 * nothing.
 */
export function chargeComparison(ctx: Context, left: unknown, right: unknown, isSearch: boolean): void {
  if (Array.isArray(left) || Array.isArray(right)) {
    chargeWork(ctx, ITEM * Math.max(itemsOf(left), itemsOf(right)));
  } else if (isSearch && typeof left === "string") {
    ctx.memoryLimit.use(left.length);
    chargeWork(ctx, searchWork(left.length, typeof right === "string" ? right.length : NUMBER));
  }
}

/** The length, as text, that is assumed of a value that isn't a text. */
const NUMBER = 32;

function itemsOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

export function compileToken(token: Token): Evaluate | null {
  if ("content" in token) {
    const { content } = token;
    return () => content;
  }
  if (!TypeGuards.isPropertyAccessToken(token) || token.variable) return null;
  const keys = token.props.map((prop) => compileToken(prop));
  if (!keys.every((key) => key !== null)) return null;
  const fixed = token.props.map((prop) => ("content" in prop ? toValue(prop.content) : undefined));
  if (fixed.every((key) => typeof key === "string")) return readFixedPath(fixed);
  return (ctx) =>
    readPath(
      ctx,
      keys.map((key) => toValue(key(ctx))),
    );
}

function readFixedPath(path: readonly string[]): Evaluate {
  const [first = "", ...rest] = path;
  if (rest.length === 0) return (ctx) => readKey(ctx, scopeOf(ctx, first), first);
  return (ctx) => {
    let value = readKey(ctx, scopeOf(ctx, first), first);
    for (const key of rest) value = readKey(ctx, value, key);
    return value;
  };
}

function readPath(ctx: Context, keys: readonly unknown[]): unknown {
  let value: unknown = scopeOf(ctx, keys[0] as string);
  for (const key of keys) value = readKey(ctx, value, key as string);
  return value;
}

/** An assigned variable hides a given one of the same name. */
function scopeOf(ctx: Context, key: string): object {
  const assigned = ctx.bottom();
  if (key in assigned) return assigned;
  return key in ctx.environments ? ctx.environments : ctx.globals;
}

const special = new Set(["size", "first", "last", "toLiquid"]);

function readKey(ctx: Context, from: unknown, key: string): unknown {
  if (from === null || from === undefined) return from;
  if (typeof from === "object" && !Array.isArray(from) && !special.has(key) && Object.hasOwn(from, key)) {
    const value = (from as Record<string, unknown>)[key];
    if (typeof value !== "function") return value;
  }
  return ctx.readProperty(from, key);
}

/** These filters return at once and need only their arguments. The others are generators or need the scope. */
const plainFilters = new Set(
  (
    "abs append array_to_sentence_string at_least at_most base64_decode base64_encode capitalize ceil cgi_escape " +
    "compact concat date date_to_long_string date_to_rfc822 date_to_string date_to_xmlschema default divided_by " +
    "downcase escape escape_once first floor hmac_sha256 inspect join json jsonify last lstrip minus modulo " +
    "newline_to_br normalize_whitespace number_of_words plus pop prepend push raw remove remove_first remove_last " +
    "replace replace_first replace_last reverse round rstrip sha256 shift size slice slugify split squish strip " +
    "strip_html strip_newlines times to_integer truncate truncatewords uniq unshift upcase uri_escape url_decode " +
    "url_encode xml_escape"
  ).split(" "),
);

type Handler = (this: { context: Context; liquid: Liquid }, ...args: unknown[]) => unknown;

function compileFilter(filter: Filter, input: Evaluate, engine: Liquid): Evaluate | null {
  const escapeText = placeFilters[filter.name as PlaceFilter];
  if (escapeText) return (ctx) => escapeText(toText(input(ctx)));
  if (isOutputEscape(filter, engine)) {
    const outputEscape = engine.options.outputEscape as (value: unknown) => string;
    return (ctx) => outputEscape(input(ctx));
  }
  if (!plainFilters.has(filter.name)) return null;
  const found = engine.filters[filter.name];
  if (filter.name === "raw") return input;
  if (typeof found !== "function") return null;
  const handler = found as Handler;
  const args = filter.args.map((arg) => (Array.isArray(arg) ? compilePair(arg) : compileArgument(arg)));
  if (!args.every((arg) => arg !== null)) return null;
  return (ctx) => {
    const value = input(ctx);
    return handler.call({ context: ctx, liquid: engine }, value, ...args.map((arg) => arg(ctx)));
  };
}

/** LiquidJS appends the engine's own escaping to an output as a filter that has no name of its own. */
function isOutputEscape(filter: Filter, engine: Liquid): boolean {
  return filter.name === "[object Function]" && engine.options.outputEscape !== undefined;
}

function compilePair([name, token]: [string?, Token?]): Evaluate | null {
  const value = compileArgument(token);
  return value && ((ctx) => [name, value(ctx)]);
}

function compileArgument(token: Token | undefined): Evaluate | null {
  return token ? compileToken(token) : () => undefined;
}
