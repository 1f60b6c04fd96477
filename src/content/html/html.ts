/** Compiling changes the author's HTML with these functions. They know Liquid only as pieces that they leave alone. */
export { type Footer, insertFooterAndPixel, insertPreheader, textFooter } from "./footer-and-preheader.ts";
export { type LinkSettings, rewriteLinks } from "./link-rewriting.ts";
export { addHoneypot, createLinkTable, type LinkTable } from "./link-table.ts";
export { findLiquidPlaces, type LiquidPlace } from "./liquid-places.ts";
export { findGuards, findLostTags, unreadSpans } from "./lost-tags.ts";
export { marker, replaceByMarkers } from "./markers.ts";
export { compileMjml } from "./mjml.ts";
export { scanHtml } from "./scan.ts";
export { isShownToAll } from "./shown.ts";
export { inlineStyles } from "./styles.ts";
export { makeText, rewriteTextLinks } from "./text-part.ts";
export type { Utm } from "./utm.ts";
export { type Marked, markForHeader, markForHtml } from "./values.ts";
