/** Word writes the items of a list as paragraphs, which say in their style of which list and how deep they are. */
import { styleOf } from "./looks-of.ts";

export type Item = { readonly ordered: boolean; readonly level: number };

export function wordItem(element: Element): Item | undefined {
  const [, level] = /\blevel(\d)\b/.exec(styleOf(element).get("mso-list") ?? "") ?? [];
  if (level === undefined) return undefined;
  const sign = [...element.querySelectorAll("span")].find(
    (span) => styleOf(span).get("mso-list") === "ignore",
  );
  const ordered = /^\s*(?:\d+|[a-z]{1,3})[.)]/i.test(sign?.textContent ?? "");
  return { ordered, level: Math.min(3, Math.max(1, Number(level))) };
}
