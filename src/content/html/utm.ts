/** Adds a campaign's UTM parameters to the author's links, by which the site they lead to tells where visitors come from. */
import { escapeHtml } from "../escape.ts";
import type { LiquidPiece } from "../liquid/liquid.ts";

/** A parameter that is null isn't added. */
export type Utm = {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
  readonly term: string | null;
  readonly content: string | null;
};

const NAMES = ["source", "medium", "campaign", "term", "content"] as const satisfies readonly (keyof Utm)[];

/** Puts the parameters in front of a fragment. One that the address has already stays as its author wrote it. */
export function addUtm(address: string, utm: Utm | null): string {
  if (!utm) return address;
  const end = endOfQuery(address);
  return address.slice(0, end) + addition(address.slice(0, end), utm) + address.slice(end);
}

function endOfQuery(address: string): number {
  const hash = address.indexOf("#");
  return hash === -1 ? address.length : hash;
}

function addition(address: string, utm: Utm): string {
  const mark = address.indexOf("?");
  const query = mark === -1 ? "" : address.slice(mark + 1);
  const known = new Set(query.split("&").map((one) => one.split("=", 1)[0]?.toLowerCase()));
  const added = NAMES.flatMap((name) => {
    const value = utm[name];
    if (value === null || known.has(`utm_${name}`)) return [];
    return [`utm_${name}=${encodeURIComponent(value.toWellFormed())}`];
  });
  if (added.length === 0) return "";
  const joint = mark === -1 ? "?" : query === "" || query.endsWith("&") ? "" : "&";
  return joint + added.join("&");
}

/**
 * Says what to add to an address with Liquid, as HTML, and how far from its begin. A value is encoded for its place, so it
 * brings neither "?" nor "#", and what the author wrote shows where the query is. A tag may bring either, and an
 * address that begins with Liquid may be anything: nothing is added to those. `shape` is the address with a word in
 * place of each piece of Liquid.
 */
export function utmForLiquid(
  shape: string,
  pieces: readonly LiquidPiece[],
  utm: Utm | null,
): { readonly at: number; readonly text: string } | null {
  if (!utm || pieces.some(({ kind }) => kind === "tag")) return null;
  const isPlain = /^\s*https?:\/\//i.test(shape) && !/&(?:#|(?!amp;)[a-z]+;)/i.test(shape);
  if (!isPlain) return null;
  const at = endOfQuery(shape.trimEnd());
  const text = addition(shape.slice(0, at).replaceAll("&amp;", "&"), utm);
  return text === "" ? null : { at, text: escapeHtml(text) };
}
