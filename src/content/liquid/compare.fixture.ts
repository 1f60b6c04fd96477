/** Renders a template by the fast path and by LiquidJS, so that tests can compare both. */
import type { Liquid } from "liquidjs";
import { createContext, parseLiquid, plainEngine, type RecipientUrls, renderNodes } from "./engine.ts";
import { compileNodes } from "./fast-render.ts";

export type Rendered = { readonly ok: true; readonly text: string } | { readonly ok: false };

const urls: RecipientUrls = { linkBase: "https://t.example/c/1?a=1&n=", pixelUrl: "https://t.example/o/1" };

export function renderSlow(template: string, data: object, engine: Liquid = plainEngine): Rendered {
  const parsed = parseLiquid(engine, template);
  if (!parsed.ok) return { ok: false };
  return settle(() => renderNodes(engine, parsed.nodes, createContext(engine, data, urls)));
}

/** Returns null where the fast path leaves the template to LiquidJS. */
export function renderFast(template: string, data: object, engine: Liquid = plainEngine): Rendered | null {
  const parsed = parseLiquid(engine, template);
  const emit = parsed.ok ? compileNodes(parsed.nodes, engine) : null;
  if (!emit) return null;
  return settle(() => emit(createContext(engine, data, urls)));
}

function settle(render: () => string): Rendered {
  try {
    return { ok: true, text: render() };
  } catch {
    return { ok: false };
  }
}
