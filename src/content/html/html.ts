/** HTML: what is done to the author's markup when it is compiled. It knows Liquid only as places that are left alone. */
export { type Footer, placeEnd, placePreheader, textFooter } from "./footer-and-preheader.ts";
export { createLinkTable, type Link, type LinkTable, rewriteLinks } from "./links.ts";
export { compileMjml } from "./mjml.ts";
export { findPlaces, type Place } from "./places.ts";
export { scanHtml } from "./scan.ts";
export { isShownToAll } from "./shown.ts";
export { inlineStyles } from "./styles.ts";
export { makeText, rewriteTextLinks } from "./text-part.ts";
export { type Marked, markForHeader, markForHtml } from "./values.ts";
