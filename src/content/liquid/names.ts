/** Lists what an author may write in Liquid, from the engine that reads it. */
import { authorEngine, parseLiquid } from "./engine.ts";

type LiquidNames = {
  readonly tags: readonly { readonly name: string; readonly end: string | null }[];
  readonly filters: readonly string[];
};

export function listLiquidNames(): LiquidNames {
  return {
    tags: Object.keys(authorEngine.tags)
      .filter((name) => /^[a-z]/.test(name))
      .toSorted()
      .map((name) => ({ name, end: hasEnd(name) ? `end${name}` : null })),
    filters: Object.keys(authorEngine.filters).toSorted(),
  };
}

/** LiquidJS keeps no list of the tags that enclose something, but says so of one that stands alone. */
function hasEnd(name: string): boolean {
  return ["", "x", "x in x"].some((args) => {
    const parsed = parseLiquid(authorEngine, `{% ${name} ${args} %}`);
    return !parsed.ok && parsed.detail.includes("isn't closed");
  });
}
