/** Renders an address with Liquid when its link is followed, exactly as it would have stood in the mail. */
import { createHash } from "node:crypto";
import { fillSlots } from "../mail/mime/pieces.ts";
import type { CompiledContent, LiquidAddress } from "./compiled.ts";
import { scanHtml } from "./html/html.ts";
import { toLocation } from "./link-safety.ts";

export type LinkContent = {
  /** What the threads render: a content that is nothing but the address. */
  readonly compiled: CompiledContent;
  /** Joins the values to where the link leads; undefined where that isn't safe, or not on the author's host. */
  readonly toLocation: (values: readonly string[]) => string | undefined;
};

export function prepareLink(address: LiquidAddress): LinkContent {
  const { pieces, slots, origin } = address;
  const key = createHash("sha256").update(JSON.stringify(address)).digest("base64url");
  const none = { subject: [], text: [], links: [], variables: [] };
  return {
    compiled: { format: 1, key, html: pieces, slots, ...none, isBounded: false },
    toLocation(values) {
      const location = toLocation(readAttribute(fillSlots(pieces, values)));
      return location !== undefined && URL.parse(location)?.origin === origin ? location : undefined;
    },
  };
}

/** Reads an attribute as a mail program does. Its text holds one kind of quotes at most, for it stood between the others. */
function readAttribute(text: string): string {
  const quote = text.includes('"') ? "'" : '"';
  const [tag] = scanHtml(`<a href=${quote}${text}${quote}>`).tags;
  return tag?.attributes[0]?.value.trim() ?? "";
}
