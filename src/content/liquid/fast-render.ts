/**
 * The fast path compiles a parsed template into functions that give LiquidJS's bytes. It takes outputs, `if`,
 * `unless`, `case`, `assign`, `capture`, `echo`, `raw` and comments, which all end after one pass over the template.
 * Loops and counters are left to LiquidJS, in a thread that can be killed.
 */
import {
  AssignTag,
  CaptureTag,
  CaseTag,
  CommentTag,
  type Context,
  defaultOperators,
  EchoTag,
  IfTag,
  InlineCommentTag,
  type Liquid,
  LiquidTag,
  Output,
  RawTag,
  type Template,
  TypeGuards,
  toValue,
  toValueSync,
  UnlessTag,
  type Value,
} from "liquidjs";
import { escapeHtml } from "../escape.ts";
import { LinkTag, PixelTag, type RecipientUrls, recipientUrls, writeText } from "./engine.ts";
import { chargeComparison, compileToken, compileValue, type Evaluate } from "./expressions.ts";

export type Emit = (ctx: Context) => string;

const nothing: Emit = () => "";

export function compileNodes(nodes: readonly Template[], engine: Liquid): Emit | null {
  const emits: Emit[] = [];
  for (const node of nodes) {
    const emit = compileNode(node, engine);
    if (!emit) return null;
    if (emit !== nothing) emits.push(emit);
  }
  const [first = nothing] = emits;
  if (emits.length < 2) return first;
  return (ctx) => {
    let text = "";
    for (const emit of emits) text += emit(ctx);
    return text;
  };
}

export function compileNode(node: Template, engine: Liquid): Emit | null {
  if (node instanceof Output) return compileOutput(node.value, engine);
  if (TypeGuards.isHTMLToken(node.token)) return constant(node.token.getContent());
  if (node instanceof LinkTag) return compileLink(node);
  if (node instanceof PixelTag) return (ctx) => escapeHtml(urlsOf(ctx).pixelUrl);
  if (node instanceof IfTag) return compileBranches(node.branches, node.elseTemplates ?? [], engine, true);
  if (node instanceof UnlessTag) {
    return compileBranches(node.branches, node.elseTemplates, engine, false);
  }
  if (node instanceof CaseTag) return compileCase(node, engine);
  if (node instanceof AssignTag) return compileAssign(node, engine);
  if (node instanceof CaptureTag) return compileCapture(node, engine);
  if (node instanceof EchoTag) return compileEcho(node, engine);
  if (node instanceof LiquidTag) return compileNodes(node.templates, engine);
  if (node instanceof RawTag) return constant(node.render());
  if (node instanceof CommentTag || node instanceof InlineCommentTag) return nothing;
  return null;
}

function constant(text: string): Emit {
  return text === "" ? nothing : () => text;
}

function compileOutput(value: Value, engine: Liquid): Emit | null {
  const evaluate = compileValue(value, engine);
  return evaluate && ((ctx) => writeText(ctx, evaluate(ctx)));
}

function compileLink({ index, escaped }: LinkTag): Emit {
  return escaped ? (ctx) => escapeHtml(urlsOf(ctx).linkBase) + index : (ctx) => urlsOf(ctx).linkBase + index;
}

function urlsOf(ctx: Context): RecipientUrls {
  return (ctx.globals as { [recipientUrls]: RecipientUrls })[recipientUrls];
}

/** Checks the time limit. It isn't called for every value, which would make a mail of plain values a twentieth slower. */
function checkTime(ctx: Context): void {
  ctx.renderLimit.check(performance.now());
}

type Branch = { readonly value: Value; readonly templates: readonly Template[] };

/** Compiles `if` and `unless`. `firstWants` is false for `unless`, whose later branches are ordinary `elsif`s. */
function compileBranches(
  branches: readonly Branch[],
  otherwise: readonly Template[],
  engine: Liquid,
  firstWants: boolean,
): Emit | null {
  const compiled: { test: Evaluate; wants: boolean; emit: Emit }[] = [];
  for (const [at, { value, templates }] of branches.entries()) {
    const test = compileValue(value, engine);
    const emit = compileNodes(templates, engine);
    if (!test || !emit) return null;
    compiled.push({ test, wants: at === 0 ? firstWants : true, emit });
  }
  const last = compileNodes(otherwise, engine);
  if (!last) return null;
  return (ctx) => {
    checkTime(ctx);
    for (const { test, wants, emit } of compiled) if (isTrue(test(ctx)) === wants) return emit(ctx);
    return last(ctx);
  };
}

/** In Liquid everything but false and nil is true. */
function isTrue(given: unknown): boolean {
  const value = toValue(given);
  return value !== false && value !== undefined && value !== null;
}

const equals = defaultOperators["=="] as (left: unknown, right: unknown) => IterableIterator<unknown>;

function isEqual(ctx: Context, left: unknown, right: unknown): unknown {
  chargeComparison(ctx, left, right, false);
  return toValueSync(equals(left, right));
}

/** Compiles `case`. As in LiquidJS, every branch that matches is written, not only the first. */
function compileCase({ value, branches, elseTemplates }: CaseTag, engine: Liquid): Emit | null {
  const target = compileValue(value, engine);
  const compiled: { values: Evaluate[]; emit: Emit }[] = [];
  for (const branch of branches) {
    const values = branch.values.map((token) => compileToken(token));
    const emit = compileNodes(branch.templates, engine);
    if (!emit || !values.every((one) => one !== null)) return null;
    compiled.push({ values, emit });
  }
  const otherwise = compileNodes(elseTemplates, engine);
  if (!target || !otherwise) return null;
  return (ctx) => {
    checkTime(ctx);
    const sought = toValue(target(ctx));
    let text = "";
    let isHit = false;
    for (const { values, emit } of compiled) {
      if (!values.some((one) => isEqual(ctx, sought, one(ctx)))) continue;
      isHit = true;
      text += emit(ctx);
    }
    return isHit ? text : otherwise(ctx);
  };
}

function compileAssign(node: AssignTag, engine: Liquid): Emit | null {
  const [value] = node.arguments() as Iterable<Value>;
  const [name] = node.localScope();
  const evaluate = value && compileValue(value, engine);
  if (!evaluate || !name) return null;
  return (ctx) => {
    (ctx.bottom() as Record<string, unknown>)[name.content] = evaluate(ctx);
    return "";
  };
}

function compileCapture({ variable, templates }: CaptureTag, engine: Liquid): Emit | null {
  const emit = compileNodes(templates, engine);
  if (!emit) return null;
  return (ctx) => {
    checkTime(ctx);
    const text = emit(ctx);
    ctx.memoryLimit.use(text.length);
    (ctx.bottom() as Record<string, unknown>)[variable] = text;
    return "";
  };
}

function compileEcho(node: EchoTag, engine: Liquid): Emit | null {
  const [value] = node.arguments() as Iterable<Value>;
  if (!value) return nothing;
  const emit = compileOutput(value, engine);
  const isSafe = value.filters.at(-1)?.raw || !engine.options.outputEscape;
  return emit && (isSafe ? emit : (ctx) => escapeHtml(emit(ctx)));
}
