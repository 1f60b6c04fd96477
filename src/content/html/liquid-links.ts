/**
 * Finds out whether an address with Liquid can be rendered when it is followed: where its scheme and host are the author's
 * own words, and its Liquid reads nothing but what is known then.
 */
import type { LiquidAddress, Slot } from "../compiled.ts";
import {
  authorEngine,
  findSetNames,
  findVariables,
  htmlEngine,
  type LiquidPiece,
  parseLiquid,
} from "../liquid/liquid.ts";
import { splitPart } from "../split.ts";

/** What is known of a recipient at any time, and what is frozen with the mail. */
const KNOWN_LATER = new Set(
  "email first_name last_name fields subscriber list campaign postal_address".split(" "),
);
const OF_THE_MAIL = new Set(["unsubscribe_url", "preferences_url", "view_url"]);
/** Other tags set something for what follows, or depend on what came before. */
const CONDITIONS = new Set("if unless elsif else endif endunless case when endcase echo".split(" "));

export type LiquidLink =
  | { readonly kind: "later"; readonly address: LiquidAddress }
  /** Only while the mail is made; `why` ends a sentence. */
  | { readonly kind: "now"; readonly why: string }
  /** One of our own pages. */
  | { readonly kind: "own" };

export type LiquidLinkSource = {
  /** The address as the author wrote it, and its Liquid by itself. */
  readonly source: string;
  readonly liquid: string;
  readonly pieces: readonly LiquidPiece[];
  /** The address with the filters that its places need. */
  readonly marked: string;
};

/** `html` is the whole of what the author wrote: a name that it sets somewhere isn't the recipient's any more. */
export function createLiquidLinkReader(html: string): (link: LiquidLinkSource) => LiquidLink {
  const parsed = parseLiquid(authorEngine, html);
  const set = parsed.ok ? findSetNames(parsed.nodes) : new Set<string>();
  const read = new Map<string, LiquidLink>();
  return (link) => {
    const known = read.get(link.marked) ?? readLink(link, set);
    read.set(link.marked, known);
    return known;
  };
}

function readLink(link: LiquidLinkSource, set: ReadonlySet<string>): LiquidLink {
  const parsed = parseLiquid(authorEngine, link.source);
  if (!parsed.ok) return now("its Liquid begins or ends outside of the address");
  const names = findVariables(parsed.nodes).map(({ name }) => name);
  const roots = names.map((name) => name.split(".", 1)[0] ?? "");
  if (roots.length > 0 && roots.every((root) => OF_THE_MAIL.has(root))) return { kind: "own" };
  const origin = originOf(link);
  if (origin === undefined) return now("its scheme or its host is Liquid");
  const tag = link.pieces.find(({ kind, name }) => kind === "tag" && !CONDITIONS.has(name));
  if (tag) return now(`it holds the tag ${tag.name}`);
  const other = roots.findIndex((root) => !KNOWN_LATER.has(root) || set.has(root));
  if (other >= 0) return now(`${names[other]?.slice(0, 60)} is known only while the mail is made`);
  if (/(["'])(?:now|today)\1/i.test(link.liquid)) return now("it holds the time at which the mail is made");
  const slots: Slot[] = [];
  const { pieces } = splitPart(
    { part: "html", engine: htmlEngine, source: link.marked, placeOf: () => null },
    slots,
  );
  if (slots.some(({ kind }) => kind !== "value")) return now("its Liquid is too complex");
  return { kind: "later", address: { pieces, slots, origin } };
}

function now(why: string): LiquidLink {
  return { kind: "now", why };
}

/** The first "/", "?" or "#" ends the host, and must stand in front of all Liquid. */
function originOf({ source }: LiquidLinkSource): string | undefined {
  const [, begin] = /^\s*(https?:\/\/[^\s/?#\\@&{}]+)[/?#]/i.exec(source) ?? [];
  return begin === undefined ? undefined : URL.parse(begin)?.origin;
}
