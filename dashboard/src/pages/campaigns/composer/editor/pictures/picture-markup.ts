import type { EditorKind } from "../editor-props.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" };
const entities = (text: string) => text.replaceAll(/[&"<>]/g, (char) => ENTITIES[char] ?? char);

/** Braces in a description would be read as Liquid. */
const plain = (text: string) => entities(text).replaceAll("{", "&#123;");

/** Outlook on Windows obeys the attribute alone, and a narrow screen the style. */
export function pictureMarkup(
  kind: EditorKind,
  { url, alt, width }: { url: string; alt: string; width: number },
): string {
  if (kind === "text") return url;
  const shared = `src="${entities(url)}" alt="${plain(alt)}"`;
  if (kind === "mjml") return `<mj-image ${shared} width="${width}px" />`;
  return `<img ${shared} width="${width}" style="display:block; max-width:100%; height:auto; border:0;">`;
}
