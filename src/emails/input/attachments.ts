/** Reads the attachments of a request: base64, a name that is no path, a media type, and for pictures in the HTML a content id. */
import type { Fault } from "../../platform/problems.ts";
import { controlFault, hasControls } from "./mailbox.ts";

export type GivenAttachment = {
  readonly filename: string;
  readonly content: string;
  readonly content_type?: string;
  readonly content_id?: string;
};

/** An attachment as the envelope has it, without what is in it. */
export type AttachmentHead = {
  readonly filename: string;
  readonly contentType: string;
  /** Is set for a picture that the HTML shows by `cid:`. */
  readonly contentId: string | null;
  readonly size: number;
};

export type ReadAttachment = AttachmentHead & { readonly content: Buffer };

/** All together, before they are encoded for the mail. */
const MOST_BYTES = 18 * 1_024 * 1_024;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TYPE = /^[a-z0-9][\w!#$&^.+-]{0,126}\/[a-z0-9][\w!#$&^.+-]{0,126}$/i;
const CONTENT_ID = /^[\w!#$%&'*+/=?^`{|}~.-]{1,100}(?:@[\w.-]{1,100})?$/;
/** Text that is written from right to left can hide what a name ends with, such as `gpj.exe`. */
const HIDING = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;

type ReadAttachments = { readonly attachments: readonly ReadAttachment[]; readonly faults: readonly Fault[] };

export function readAttachments(given: readonly GivenAttachment[]): ReadAttachments {
  const attachments: ReadAttachment[] = [];
  const faults: Fault[] = [];
  let bytes = 0;
  for (const [nth, one] of given.entries()) {
    const found = faultsOf(one, `/attachments/${nth}`);
    faults.push(...found);
    if (found.length > 0) continue;
    const content = Buffer.from(one.content, "base64");
    bytes += content.length;
    attachments.push({
      filename: one.filename,
      contentType: one.content_type?.toLowerCase() ?? "application/octet-stream",
      contentId: one.content_id ?? null,
      size: content.length,
      content,
    });
  }
  if (bytes > MOST_BYTES) {
    faults.push({
      pointer: "/attachments",
      code: "too_large",
      detail: `all together have more than ${MOST_BYTES / 1_048_576} MB before encoding`,
    });
  }
  return { attachments, faults };
}

function faultsOf(one: GivenAttachment, pointer: string): Fault[] {
  const faults: Fault[] = [];
  const { filename, content, content_type: type, content_id: id } = one;
  if (hasControls(filename)) faults.push(controlFault(`${pointer}/filename`));
  else if (!isPlainName(filename))
    faults.push({
      pointer: `${pointer}/filename`,
      code: "invalid_filename",
      detail: "must be a name without a path, and without characters that change the direction of writing",
    });
  if (content.length % 4 !== 0 || !BASE64.test(content))
    faults.push({
      pointer: `${pointer}/content`,
      code: "invalid_base64",
      detail: "isn't base64 (RFC 4648 §4)",
    });
  if (type !== undefined && (!TYPE.test(type) || /^(?:multipart|message)\//i.test(type)))
    faults.push({
      pointer: `${pointer}/content_type`,
      code: "invalid_content_type",
      detail: "must be type/subtype alone, and neither multipart nor message",
    });
  if (id !== undefined && !CONTENT_ID.test(id))
    faults.push({
      pointer: `${pointer}/content_id`,
      code: "invalid_content_id",
      detail: "must be letters, digits and signs, as it stands behind cid: in the HTML",
    });
  return faults;
}

function isPlainName(name: string): boolean {
  return name.trim() !== "" && name !== "." && name !== ".." && !/[/\\]/.test(name) && !HIDING.test(name);
}
