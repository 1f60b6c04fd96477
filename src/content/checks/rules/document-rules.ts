/** These rules look at the body as a whole: its size, its parts, and what its `<head>` must state. */

import { countShown } from "../reading/reading.ts";
import { faultIf, type Rule } from "./rule.ts";

/** Gmail shows the first 102 KB of a body and hides the rest behind a link, the unsubscribe link included. */
const GMAIL_BYTES = 102 * 1024;
/** A mail with fewer characters than this has less than a short sentence to read. */
const FEW_CHARACTERS = 20;

export const documentRules: readonly Rule[] = [
  {
    code: "empty_body",
    severity: "error",
    remedy: "Write something.",
    find: ({ visible, images, message }) =>
      faultIf(
        images.length === 0 && countShown(visible.text) === 0 && !message.text?.trim(),
        "There is nothing in the mail to read or to see.",
      ),
  },
  {
    code: "gmail_clip",
    severity: "warning",
    remedy: "Shorten the mail, or link to the rest of it. Long styles and tracked links count too.",
    *find({ message: { html, htmlBytes } }) {
      const bytes = htmlBytes ?? Buffer.byteLength(html);
      if (bytes <= GMAIL_BYTES) return;
      const kilobytes = Math.ceil(bytes / 1024).toLocaleString("en");
      yield { message: `The HTML has ${kilobytes} KB; Gmail shows 102 KB of it and hides the rest.` };
    },
  },
  {
    code: "missing_text_part",
    severity: "warning",
    remedy: "Write a text part, or let one be made from the HTML.",
    find: ({ message }) =>
      faultIf(
        message.html.trim() !== "" && !message.text?.trim(),
        "There is no text part, which watches, screen readers and spam filters look for.",
      ),
  },
  {
    code: "image_only",
    severity: "warning",
    remedy: "Put what the pictures say into text as well.",
    *find({ visible, images }) {
      const [first] = images;
      if (!first || countShown(visible.text) >= FEW_CHARACTERS) return;
      yield {
        message:
          "The mail is nothing but pictures: where they aren't loaded it is blank, and filters distrust it.",
        at: { part: "html", offset: first.offset },
      };
    },
  },
  {
    code: "missing_lang",
    severity: "info",
    remedy: 'State it, as in <html lang="en">.',
    find: ({ lang, message }) =>
      faultIf(message.html.trim() !== "" && lang === null, "The HTML doesn't say which language it is in."),
  },
  {
    code: "missing_charset",
    severity: "info",
    remedy: 'Put <meta charset="utf-8"> first in the <head>.',
    find: ({ hasCharset, message }) =>
      faultIf(
        message.html.trim() !== "" && !hasCharset,
        "The HTML doesn't state its character set, so a saved or forwarded copy may show wrong letters.",
      ),
  },
  {
    code: "missing_viewport",
    severity: "info",
    remedy: 'Put <meta name="viewport" content="width=device-width, initial-scale=1"> into the <head>.',
    find: ({ hasViewport, message }) =>
      faultIf(
        message.html.trim() !== "" && !hasViewport,
        "The HTML states no viewport, so telephones may show it small, as if on a desk.",
      ),
  },
];
