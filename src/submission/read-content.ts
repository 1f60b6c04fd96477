/** Tells the parts of a mail apart: its text, its HTML, and what is attached. */
import { decodeWords, findField, parseParameters } from "../mail/reading/headers.ts";
import { type MailPart, readBytes, readWholeText } from "../mail/reading/reading.ts";
import { decodeText } from "../mail/reading/text.ts";

type Attachment = {
  readonly filename: string;
  readonly content: string;
  readonly content_type: string;
  readonly content_id?: string;
};

type Content = {
  readonly html?: string;
  readonly text?: string;
  readonly attachments?: readonly Attachment[];
};

/** Several texts of one kind are read one after the other, as mail programs show them. */
export function readContent(parts: readonly MailPart[]): Content {
  const described = parts.map((part) => ({ part, name: nameOf(part) }));
  const isText = (type: string) => (one: (typeof described)[number]) =>
    one.part.type === type && one.name === undefined && dispositionOf(one.part) !== "attachment";
  const join = (type: string) => {
    const texts = described.filter(isText(type)).map(({ part }) => readWholeText(part).replace(/\n$/, ""));
    return texts.length === 0 ? undefined : texts.join("\n");
  };
  const [html, text] = [join("text/html"), join("text/plain")];
  const attachments = described
    .filter((one) => !isText("text/html")(one) && !isText("text/plain")(one))
    .map(({ part, name }, nth) => readAttachment(part, name, nth + 1, html ?? ""));
  return {
    ...(html !== undefined && { html }),
    // A mail that only carries a file has an empty text.
    ...(text !== undefined || html === undefined ? { text: text ?? "" } : {}),
    ...(attachments.length > 0 && { attachments }),
  };
}

function readAttachment(part: MailPart, name: string | undefined, nth: number, html: string): Attachment {
  const id = findField(part.fields, "content-id")?.replace(/^<(.*)>$/, "$1");
  return {
    filename:
      name ?? `attachment-${nth}.${EXTENSIONS.get(part.type) ?? part.type.replace(/^.*\//, "").slice(0, 20)}`,
    content: readBytes(part).toString("base64"),
    // RFC 2046 §5.2.1 lets no message be encoded, and every attachment is.
    content_type: /^(?:message|multipart)\//.test(part.type) ? "application/octet-stream" : part.type,
    // Many programs give each file an id; only what the HTML shows is a picture in it.
    ...(id && html.includes(`cid:${id}`) && { content_id: id }),
  };
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["text/plain", "txt"],
  ["text/calendar", "ics"],
  ["image/jpeg", "jpg"],
  ["message/rfc822", "eml"],
  ["application/octet-stream", "bin"],
]);

function dispositionOf({ fields }: MailPart): string | undefined {
  return /^\s*([\w-]+)/.exec(findField(fields, "content-disposition") ?? "")?.[1]?.toLowerCase();
}

function nameOf({ fields, parameters }: MailPart): string | undefined {
  const disposition = findField(fields, "content-disposition") ?? "";
  // The reader of parameters wants a media type before them, where a disposition has one word.
  const named = parseParameters(` x/x;${disposition.replace(/^[^;]*;?/, "")}`).parameters.get("filename");
  const [name, field] =
    named === undefined
      ? [parameters.get("name"), findField(fields, "content-type") ?? ""]
      : [named, disposition];
  if (name === undefined || name === "") return undefined;
  return /\b(?:file)?name\*(?:0\*)?\s*=/i.test(field) ? decodeExtended(name) : decodeWords(name);
}

/** Decodes RFC 2231 §4: `utf-8'en'na%C3%AFve.txt`. */
function decodeExtended(value: string): string {
  const [, charset = "", text = value] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? [];
  const bytes = text.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return decodeText(Buffer.from(bytes, "latin1"), charset || undefined);
}
