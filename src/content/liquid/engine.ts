/**
 * Sets up LiquidJS as this service uses it: it reads no files and own properties only, has a fixed time zone and
 * language, and has limits. Three engines differ only in the tags and filters that they know; the author's lacks
 * those of our own.
 */
import {
  Context,
  type Emitter,
  Liquid,
  LiquidError,
  Parser,
  Tag,
  type TagToken,
  type Template,
  type TopLevelToken,
  toValue,
  toValueSync,
} from "liquidjs";
import { escapeHtml, placeFilters, toText } from "../escape.ts";
import { type ContentFault, type ContentPart, faultAt } from "../faults.ts";
import { readTopLevelTokens } from "./top-level-tokens.ts";
import { filterWork, PART, rewritingWork, searchingFilters } from "./work.ts";

/** This is only a second safeguard: a thread that renders for longer than its caller allows is killed long before. */
const MAX_RENDER_MS = 10_000;
/** The most characters that may be made for one mail, kept or not. Many servers refuse a mail of 1 MB anyway. */
const MAX_MADE_CHARACTERS = 20_000_000;

export type RenderLimits = {
  readonly characters: number;
  readonly ms: number;
  /** The limit on searches and lists, in the unit of `work.ts`. */
  readonly work: number;
};
/** These limits apply in a thread that can be killed, which is what ends a long search there. */
const DEFAULT_LIMITS: RenderLimits = {
  characters: MAX_MADE_CHARACTERS,
  ms: MAX_RENDER_MS,
  work: Number.POSITIVE_INFINITY,
};

const workLeft = Symbol("workLeft");

/** Charges work before it is done, because the clock can't be checked while it is done. */
export function chargeWork(ctx: Context, units: number): void {
  const globals = ctx.globals as { [workLeft]: number };
  globals[workLeft] -= units;
  if (globals[workLeft] < 0) throw new Error("template render limit exceeded");
}

/** The key under which a mail's own addresses are kept. It is a symbol, so that no template can name it. */
export const recipientUrls = Symbol("recipientUrls");

export type RecipientUrls = {
  /** A link's address is this followed by the link's number. */
  readonly linkBase: string;
  readonly pixelUrl: string;
};

function createEngine(outputEscape: ((value: unknown) => string) | undefined): Liquid {
  const engine = new Liquid({
    ownPropertyOnly: true,
    strictFilters: true,
    dynamicPartials: false,
    relativeReference: false,
    templates: {},
    // Time zone and language are fixed, so that a mail doesn't depend on the machine that renders it.
    timezoneOffset: 0,
    locale: "en-US",
    renderLimit: MAX_RENDER_MS,
    memoryLimit: MAX_MADE_CHARACTERS,
    ...(outputEscape && { outputEscape }),
  });
  for (const name of ["render", "include", "layout", "block"]) delete engine.tags[name];
  // This filter is random, but a mail that is sent again must be the same mail.
  engine.unregisterFilter("sample");
  chargeWriting(engine);
  chargeLists(engine);
  return engine;
}

/** LiquidJS counts what filters make, but neither what is written nor what is captured: 25 captures made 500 MB. */
function chargeWriting({ renderer }: Liquid): void {
  const render = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (templates, ctx, emitter) =>
    render(templates, ctx, emitter ?? chargedEmitter(ctx));
}

type Handler = (this: { readonly context: Context }, ...values: unknown[]) => unknown;

/**
 * Filters turn lists into text before they count it, and a list that holds the previous one twice doubles with each
 * step: 27 steps made a text that ended the whole process when it was split. So lists are counted to their last item
 * first.
 */
function chargeLists({ filters }: Liquid): void {
  for (const [name, filter] of Object.entries(filters)) {
    if (typeof filter !== "function") continue;
    const handler = filter as Handler;
    const isSearch = searchingFilters.has(name);
    const perCharacter = rewritingWork(name);
    filters[name] = function charged(this: { readonly context: Context }, ...values: unknown[]) {
      for (const value of values) if (typeof value === "object") chargeList(this.context, value);
      if (isSearch) {
        const [within, needle] = [textLength(values[0]), textLength(values[1])];
        chargeWork(this.context, filterWork(name, within, needle, needle));
      }
      if (perCharacter > 0) chargeWork(this.context, perCharacter * textLength(values[0]));
      return handler.apply(this, values);
    };
  }
}

function chargeList(ctx: Context, value: unknown): void {
  if (!Array.isArray(value)) return;
  ctx.memoryLimit.use(value.length + 1);
  chargeWork(ctx, PART * value.length);
  for (const item of value) {
    if (typeof item === "string") ctx.memoryLimit.use(item.length);
    else if (typeof item === "object") chargeList(ctx, item);
  }
}

/** Returns the length of a value as text. A list must have been counted already. */
function textLength(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (!Array.isArray(value)) return toText(value).length;
  return value.reduce<number>((sum, item) => sum + textLength(item), 0);
}

function chargedEmitter(ctx: Context): Emitter {
  const emitter = {
    buffer: "",
    write(html: unknown) {
      emitter.buffer += writeText(ctx, html);
    },
  };
  return emitter;
}

/**
 * Writes a value as LiquidJS does and charges for it, also for each item of a list, which may hold itself many times
 * over.
 */
export function writeText(ctx: Context, given: unknown): string {
  if (typeof given !== "string") {
    const value = toValue(given);
    if (Array.isArray(value)) {
      ctx.memoryLimit.use(value.length + 1);
      return value.map((item) => writeText(ctx, item)).join("");
    }
    const text = toText(value);
    ctx.memoryLimit.use(text.length);
    return text;
  }
  ctx.memoryLimit.use(given.length);
  return given;
}

function createRenderingEngine(outputEscape?: (value: unknown) => string): Liquid {
  const engine = createEngine(outputEscape);
  for (const [name, escapeText] of Object.entries(placeFilters)) {
    engine.registerFilter(name, { raw: true, handler: (value: unknown) => escapeText(toText(value)) });
  }
  engine.registerTag("_link", LinkTag);
  engine.registerTag("_plain_link", LinkTag);
  engine.registerTag("_pixel", PixelTag);
  return engine;
}

/** This tag is `{% _link 3 %}` in an attribute and `{% _plain_link 3 %}` in the text part. */
export class LinkTag extends Tag {
  readonly index: number;
  readonly escaped: boolean;
  constructor(token: TagToken, remaining: TopLevelToken[], liquid: Liquid) {
    super(token, remaining, liquid);
    this.index = Number(token.args);
    this.escaped = token.name === "_link";
  }
  override render(ctx: Context, emitter: Emitter): void {
    const { linkBase } = urlsOf(ctx);
    emitter.write((this.escaped ? escapeHtml(linkBase) : linkBase) + this.index);
  }
}

export class PixelTag extends Tag {
  override render(ctx: Context, emitter: Emitter): void {
    emitter.write(escapeHtml(urlsOf(ctx).pixelUrl));
  }
}

function urlsOf(ctx: Context): RecipientUrls {
  return (ctx.globals as { [recipientUrls]: RecipientUrls })[recipientUrls];
}

export const authorEngine = createEngine(undefined);
/** This engine also escapes what prints without `{{ }}` (echo, cycle), to which compiling appends no filter. */
export const htmlEngine = createRenderingEngine((value) => escapeHtml(toText(value)));
export const plainEngine = createRenderingEngine();

export type Parsed = { readonly ok: true; readonly nodes: Template[] } | LiquidFault;
export type LiquidFault = { readonly ok: false; readonly offset: number; readonly detail: string };

export function parseLiquid(engine: Liquid, source: string): Parsed {
  try {
    const tokens = readTopLevelTokens(source, engine);
    return { ok: true, nodes: new Parser(engine).parseTokens(toQueue(tokens)) };
  } catch (error) {
    return { ok: false, ...describeError(error) };
  }
}

/**
 * LiquidJS takes its tokens from the front of an array, which moves all the others each time: 25 s for 28,000
 * expressions. This queue has the two members of an array that it uses.
 */
function toQueue(tokens: readonly TopLevelToken[]): TopLevelToken[] {
  let at = 0;
  const queue = {
    shift: () => tokens[at++],
    get length() {
      return Math.max(tokens.length - at, 0);
    },
  };
  return queue as unknown as TopLevelToken[];
}

/**
 * Creates the context that the fast path and LiquidJS both render in. Variables and counters live there, so either
 * may render the next node.
 */
export function createContext(
  engine: Liquid,
  scope: object,
  urls: RecipientUrls,
  { characters, ms, work }: RenderLimits = DEFAULT_LIMITS,
): Context {
  // Counters are written into the scope, and one part must not see those of another, so the scope is copied.
  const globals = { [recipientUrls]: urls, [workLeft]: work };
  const options = { sync: true, globals, memoryLimit: characters, renderLimit: ms };
  return new Context({ ...scope }, engine.options, options, { liquid: engine });
}

export function renderNodes(engine: Liquid, nodes: Template[], ctx: Context): string {
  return String(toValueSync(engine.renderer.renderTemplates(nodes, ctx)));
}

/** Turns a fault of parsing or rendering into one with a line and column of what the author wrote. */
export function liquidFault(part: ContentPart, source: string, fault: LiquidFault): ContentFault {
  return faultAt("liquid_syntax", part, source, fault.offset, fault.detail);
}

/** Returns the limit that an error says was exceeded, if it is about one. */
export function limitOf(error: unknown): "too_much_memory" | "too_slow" | undefined {
  const message = error instanceof Error ? error.message : "";
  if (message.startsWith("memory alloc limit exceeded")) return "too_much_memory";
  return message.startsWith("template render limit exceeded") ? "too_slow" : undefined;
}

export function describeError(error: unknown): { offset: number; detail: string } {
  const message = error instanceof Error ? error.message : String(error);
  const plain = message.replace(/(?:, line:\d+, col:\d+)+$/, "");
  const offset = LiquidError.is(error) ? error.token.begin : 0;
  return { offset, detail: sentenceFor(plain) };
}

function sentenceFor(message: string): string {
  const filter = /^undefined filter: (.*)$/s.exec(message)?.[1];
  if (filter !== undefined) return `There is no filter named ${filter}. Check its spelling.`;
  const tag = /^tag "(.*)" not found$/s.exec(message)?.[1];
  if (tag !== undefined) return `There is no tag named ${tag} here. Check its spelling, and what it closes.`;
  const open = /^(?:tag|output|raw) (.*) not closed$/s.exec(message)?.[1];
  if (open !== undefined) return `${shorten(open)} isn't closed. Add what closes it.`;
  if (/call stack/i.test(message)) return "The tags are nested too deeply. Take some of them apart.";
  if (message.endsWith("limit exceeded"))
    return `Rendering was stopped: ${message}. Make the template simpler.`;
  return `Liquid can't read this: ${shorten(message)}.`;
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
}
