/**
 * Renders the values of one recipient by calling an array of compiled functions in order. Nothing is parsed for a
 * recipient.
 */
import type { Context, Liquid } from "liquidjs";
import {
  type CompiledContent,
  type CompiledPart,
  MAX_MAIL_CHARACTERS,
  overgrown,
  type Slot,
} from "./compiled.ts";
import { escapeHtml } from "./escape.ts";
import { type ContentFault, faultWithoutPlace } from "./faults.ts";
import {
  compileNodes,
  createContext,
  describeError,
  type Emit,
  htmlEngine,
  limitOf,
  parseLiquid,
  plainEngine,
  type RecipientUrls,
  type RenderLimits,
  renderNodes,
} from "./liquid/liquid.ts";

import { type MergeData, toScope } from "./merge.ts";

export type PreparedContent = { readonly compiled: CompiledContent; readonly parts: readonly PreparedPart[] };

type PreparedPart = { readonly engine: Liquid; readonly steps: readonly Step[] };
type Step = { readonly slot: number; readonly compute: (run: Run) => string };
type Run = { readonly ctx: Context; readonly urls: RecipientUrls };

export type Values = { readonly ok: true; readonly values: readonly string[] };
export type ValuesFault = { readonly ok: false; readonly fault: ContentFault };

/** Prepares a content for rendering, once in each thread. The content may have been compiled long ago. */
export function prepareContent(compiled: CompiledContent): PreparedContent {
  const all = (["subject", "html", "text"] as const).map((part) => preparePart(compiled, part));
  const parts = all.filter(({ steps }) => steps.length > 0);
  if (parts.length < 2 || !compiled.slots.every(isLookUp)) return { compiled, parts };
  return { compiled, parts: [{ engine: plainEngine, steps: parts.flatMap(({ steps }) => steps) }] };
}

/**
 * Tells whether a slot assigns and counts nothing. If all do, one context serves all parts; each further one takes
 * 0.5 µs a mail.
 */
function isLookUp(slot: Slot): boolean {
  return !("source" in slot) || /^\{\{\s*[\w.]+\s*(?:\|\s*_\w+\s*)?\}\}$/.test(slot.source);
}

function preparePart(compiled: CompiledContent, part: CompiledPart): PreparedPart {
  const engine = part === "html" ? htmlEngine : plainEngine;
  const steps = compiled.slots.flatMap((slot, at) =>
    slot.part === part ? [{ slot: at, compute: prepareSlot(slot, engine) }] : [],
  );
  return { engine, steps };
}

function prepareSlot(slot: Slot, engine: Liquid): (run: Run) => string {
  switch (slot.kind) {
    case "link_base":
      return engine === htmlEngine ? (run) => escapeHtml(run.urls.linkBase) : (run) => run.urls.linkBase;
    case "pixel":
      return (run) => escapeHtml(run.urls.pixelUrl);
    case "value": {
      const emit = prepareValue(slot.source, engine);
      return (run) => emit(run.ctx);
    }
    case "liquid": {
      const parsed = parseLiquid(engine, slot.source);
      if (!parsed.ok) throw new Error(`a compiled template doesn't parse: ${parsed.detail}`);
      return ({ ctx }) => renderNodes(engine, parsed.nodes, ctx);
    }
  }
}

function prepareValue(source: string, engine: Liquid): Emit {
  const parsed = parseLiquid(engine, source);
  const emit = parsed.ok ? compileNodes(parsed.nodes, engine) : null;
  if (!emit) throw new Error(`a compiled expression isn't one that the fast path renders: ${source}`);
  return emit;
}

/**
 * The limits for rendering in a thread that sends: a hundred times what a large mail takes, and no more than a few
 * milliseconds.
 */
export const HERE: RenderLimits = { characters: 500_000, ms: 1_000, work: 10_000_000 };
/** The number of slots between two checks of the clock. */
const LOOK_EVERY = 100;

/**
 * Returns one value for each slot. A content that isn't `isBounded` may be rendered only in a thread that can be
 * killed.
 */
export function renderValues(
  { compiled, parts }: PreparedContent,
  recipient: MergeData,
  limits?: RenderLimits,
): Values | ValuesFault {
  const values = new Array<string>(compiled.slots.length).fill("");
  const urls = { linkBase: recipient.urls.linkBase, pixelUrl: recipient.urls.pixel };
  const scope = toScope(recipient);
  let length = 0;
  for (const { engine, steps } of parts) {
    const run: Run = { ctx: createContext(engine, scope, urls, limits), urls };
    let untilLook = LOOK_EVERY;
    for (const { slot, compute } of steps) {
      try {
        if (--untilLook === 0) {
          untilLook = LOOK_EVERY;
          run.ctx.renderLimit.check(performance.now());
        }
        const value = compute(run);
        length += value.length;
        if (length > MAX_MAIL_CHARACTERS) return { ok: false, fault: overgrown };
        values[slot] = value;
      } catch (error) {
        return { ok: false, fault: failed(compiled.slots[slot], error) };
      }
    }
  }
  return { ok: true, values };
}

function failed(slot: Slot | undefined, error: unknown): ContentFault {
  const place = slot && "place" in slot ? slot.place : null;
  const code = limitOf(error) ?? "liquid_failed";
  return { ...faultWithoutPlace(code, slot?.part ?? null, describeError(error).detail), ...place };
}
