import type { Json } from "../subscribers.ts";

/** Reads `items[0][price]=x` as Stripe does: names in brackets are members, and numbers are places in a list. */
export function readForm(text: string): Json {
  const root: Json = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [
      name.split("[")[0] ?? "",
      ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, part = ""]) => part),
    ];
    let at = root;
    for (const [depth, part] of path.entries()) {
      const next = path[depth + 1];
      if (next === undefined) at[part === "" ? at.length : part] = value;
      else at = at[part] ??= /^\d*$/.test(next) ? [] : {};
    }
  }
  return root;
}
