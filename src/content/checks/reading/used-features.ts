/**
 * Notes which features of HTML and CSS a mail uses, and where each occurs first. A feature is named as it is written:
 * `<video>`, `<input type=radio>`, `[srcset]`, `display:flex`, `gap`, `calc()`, `vw`, `:hover`, `@media`,
 * `(prefers-color-scheme)`, `image/webp`, `data:`, `#anchor`.
 */
import type { Element } from "./markup.ts";

export type UsedFeatures = Map<string, number>;

/** Some 500 features cover all that is known of clients; this limit keeps junk from taking memory without end. */
const MAX_USED_FEATURES = 5_000;
const NAME_UNITS = 60;
const VALUE_UNITS = 2_000;

export function noteElement(usedFeatures: UsedFeatures, { name, attributes, offset }: Element): void {
  note(usedFeatures, `<${name}>`, offset);
  for (const key of attributes.keys()) note(usedFeatures, `[${key}]`, offset);
  const type = attributes.get("type")?.value.toLowerCase();
  if (type && (name === "input" || name === "button")) note(usedFeatures, `<${name} type=${type}>`, offset);
  if (name === "a" && /^#./.test(attributes.get("href")?.value ?? "")) note(usedFeatures, "#anchor", offset);
  if (name === "img") noteImage(usedFeatures, attributes.get("src")?.value ?? "", offset);
}

/** The properties whose values are features of their own. Colours, lengths and texts are not. */
const telling = new Set(["display", "flex-direction", "flex-wrap"]);

export function noteDeclaration(
  usedFeatures: UsedFeatures,
  property: string,
  value: string,
  offset: number,
): void {
  if (property.startsWith("mso-")) return;
  note(usedFeatures, property.startsWith("--") ? "var()" : property, offset);
  const short = value.slice(0, VALUE_UNITS).toLowerCase();
  const [, word = ""] = /^([a-z-]+)/.exec(short) ?? [];
  if (telling.has(property)) note(usedFeatures, `${property}:${word.replace("inline-flex", "flex")}`, offset);
  for (const [, url = ""] of short.matchAll(/url\(\s*["']?([^"')]*)/g)) noteImage(usedFeatures, url, offset);
  const bare = short.replaceAll(/url\([^)]*\)|"[^"]*"|'[^']*'|#[\da-f]+/g, " ");
  for (const [, name = ""] of bare.matchAll(/([a-z-]+)\(/g)) note(usedFeatures, `${name}()`, offset);
  for (const [, unit = ""] of bare.matchAll(/\d([a-z]{1,4})\b/g)) note(usedFeatures, unit, offset);
  if (/^(?:fit|min|max)-content\b/.test(bare)) note(usedFeatures, "fit-content", offset);
}

export function notePrelude(usedFeatures: UsedFeatures, prelude: string, offset: number): void {
  const text = prelude.slice(0, VALUE_UNITS).toLowerCase();
  if (!text.startsWith("@")) {
    for (const [pseudo] of text.matchAll(/::?[a-z-]+/g)) note(usedFeatures, pseudo, offset);
    if (text.includes("&")) note(usedFeatures, "&", offset);
    return;
  }
  note(usedFeatures, /^@[a-z-]+/.exec(text)?.[0] ?? "@", offset);
  if (!text.startsWith("@media")) return;
  for (const [, feature = ""] of text.matchAll(/\(\s*([a-z-]+)/g))
    note(usedFeatures, nameMedia(feature), offset);
}

/** `(-webkit-min-device-pixel-ratio: 2)` asks for the same feature as `(device-pixel-ratio)`. */
export function nameMedia(feature: string): string {
  return `(${feature.replace(/^-webkit-/, "").replace(/^(?:min|max)-/, "")})`;
}

const extensions: Readonly<Record<string, string>> = { jpeg: "jpg", heic: "heif", tif: "tiff" };

function noteImage(usedFeatures: UsedFeatures, url: string, offset: number): void {
  const [, ofData] = /^data:image\/([a-z]+)/i.exec(url) ?? [];
  if (ofData) note(usedFeatures, "data:", offset);
  const path = url.slice(0, VALUE_UNITS).split(/[?#]/, 1)[0] ?? "";
  const format = (ofData ?? /\.([a-z\d]{2,5})$/i.exec(path)?.[1] ?? "").toLowerCase();
  if (format !== "") note(usedFeatures, `image/${extensions[format] ?? format}`, offset);
}

function note(usedFeatures: UsedFeatures, feature: string, offset: number): void {
  if (feature.length > NAME_UNITS || usedFeatures.size >= MAX_USED_FEATURES || usedFeatures.has(feature))
    return;
  usedFeatures.set(feature, offset);
}
