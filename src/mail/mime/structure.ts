/** Nests the parts of a message, and writes the headers that each of them begins with. */
import { type Body, compileBody } from "./body.ts";
import { foldField } from "./folding.ts";
import { fit, formatMessageIds, UnfitValue } from "./headers.ts";
import { asciiFallback, formatParameter } from "./parameters.ts";
import { hasSlots, type Pieces } from "./pieces.ts";
import type { Attachment, InlineImage, MessageTemplate } from "./template.ts";

/** `headers` are whole fields, without line breaks at their ends. */
export type Part =
  | {
      readonly kind: "text";
      readonly headers: readonly string[];
      readonly body: Body;
      readonly isStatic: boolean;
    }
  | { readonly kind: "file"; readonly headers: readonly string[]; readonly content: Uint8Array }
  | {
      readonly kind: "multipart";
      readonly headers: readonly string[];
      readonly boundary: string;
      readonly parts: readonly Part[];
    };

const tokenText = "[\\w!#$%&'*+.^`{|}~-]+"; // RFC 2045 §5.1 defines it.
const mediaType = new RegExp(`^${tokenText}/${tokenText}$`);
const attribute = /^(?!name$|boundary$)[\w-]{1,30}$/i;

/**
 * The structure is mixed(alternative(text, related(html, images)), attachments), without any level that would hold a single
 * part. The text comes before the HTML, as the best form is the last one (RFC 2046 §5.1.4).
 */
export function planParts(template: MessageTemplate): Part {
  const { text, html, inlineImages = [], attachments = [], boundary } = template;
  if (!/^[\w-]{1,60}$/.test(boundary))
    throw new UnfitValue("boundary", "not 1 to 60 letters, digits, - and _");
  if (text === undefined && html === undefined)
    throw new UnfitValue("body", "there is neither text nor HTML");
  if (html === undefined && inlineImages.length > 0) throw new UnfitValue("body", "inline images need HTML");
  const bodies: Part[] = [];
  if (text !== undefined) bodies.push(textPart("text/plain", text));
  if (html !== undefined) {
    // RFC 2387 §3.1 asks for the type of the part that is shown.
    const related = ["multipart/related", 'type="text/html"'];
    bodies.push(
      nest(related, `${boundary}_r`, [textPart("text/html", html), ...inlineImages.map(imagePart)]),
    );
  }
  const body = nest(["multipart/alternative"], `${boundary}_a`, bodies);
  return nest(["multipart/mixed"], `${boundary}_m`, [body, ...attachments.map(attachmentPart)]);
}

function nest(type: readonly string[], boundary: string, parts: readonly Part[]): Part {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  // Neither quoted-printable nor base64 can hold =_, and 7bit text that holds it isn't sent as such (RFC 2045 §6.7).
  const mark = `=_${boundary}`;
  const headers = [formatContentType([...type, `boundary="${mark}"`])];
  return { kind: "multipart", headers, boundary: mark, parts };
}

function textPart(type: string, pieces: Pieces): Part {
  const body = compileBody(pieces);
  const headers = [formatContentType([type, "charset=utf-8"]), `Content-Transfer-Encoding: ${body.encoding}`];
  return { kind: "text", headers, body, isStatic: !hasSlots(pieces) };
}

function attachmentPart(attachment: Attachment): Part {
  const headers = [...fileHeaders(attachment), formatDisposition("attachment", attachment.filename)];
  return { kind: "file", headers, content: attachment.content };
}

function imagePart(image: InlineImage): Part {
  const headers = [
    ...fileHeaders(image),
    formatMessageIds("Content-ID", [image.contentId]),
    formatDisposition("inline", image.filename),
  ];
  return { kind: "file", headers, content: image.content };
}

/** The name in Content-Type, in ASCII, is for readers that don't know the filename of RFC 2231. */
function fileHeaders({ contentType, parameters = {}, filename = "" }: Attachment | InlineImage): string[] {
  const type = fit("Content-Type", contentType, mediaType, "not a media type such as image/png");
  // RFC 2046 §5.2.1 and RFC 2045 §6.4 forbid base64 for these.
  if (/^(?:message|multipart)\//i.test(type)) {
    throw new UnfitValue("Content-Type", `${type} can't be attached; application/octet-stream can`);
  }
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    formatParameter(fit("Content-Type", name, attribute, "not a name of a parameter"), value),
  );
  const named = formatParameter("name", asciiFallback(filename));
  return [formatContentType([type, ...given, ...named]), "Content-Transfer-Encoding: base64"];
}

function formatDisposition(disposition: string, filename = ""): string {
  return foldField("Content-Disposition", separate([disposition, ...formatParameter("filename", filename)]));
}

function formatContentType(words: readonly string[]): string {
  return foldField("Content-Type", separate(words));
}

function separate(words: readonly string[]): string[] {
  return words.map((word, index) => (index + 1 < words.length ? `${word};` : word));
}
