/** Makes the texts of a mail from what was given: MJML becomes HTML, and a missing text is made from the HTML. */
import type { CompiledContent, ContentFault, ContentWorkers } from "../../content/content.ts";
import { contentBusy, faultsOfContent } from "../../messages/messages.ts";
import { AppError, invalid } from "../../platform/problems.ts";
import type { Draft } from "./draft.ts";

export type TrackedHtml = {
  readonly publicUrl: string;
  /** The host of the sender's own domain, which its links lead over; absent where it had none when the mail was accepted. */
  readonly trackingHost?: string;
  /** The HTML in pieces: a number stands for the link with that number, and -1 for the pixel. */
  readonly pieces: readonly (string | number)[];
  /** Where each link leads. */
  readonly links: readonly string[];
};

export type Texts = {
  readonly html: string | null;
  readonly text: string | null;
  /** The HTML as tracked copies have it. */
  readonly tracked?: TrackedHtml;
};

/** The faults that say nothing about the content: no thread had time for it. */
const UNDECIDED: ReadonlySet<string> = new Set(["busy", "worker_failed"]);

/**
 * HTML is sent as it was given. Where a text can't be made of it, the mail goes without one; MJML that can't be compiled is
 * refused.
 */
export async function makeTexts(
  workers: Pick<ContentWorkers, "compile">,
  accountId: string,
  draft: Pick<Draft, "html" | "mjml" | "text">,
): Promise<Texts> {
  const { html, mjml, text } = draft;
  if (mjml === null && (html === null || text !== null)) return { html, text };
  const hidden = hiding([html, mjml, text].join(""));
  const made = await workers.compile(
    {
      subject: "",
      preheader: null,
      html: html && hidden.hide(html),
      mjml: mjml && hidden.hide(mjml),
      text: text && hidden.hide(text),
      tracking: { opens: false, clicks: false },
      links: { utm: null, ownUrl: "", honeypot: false, areTokensPersonal: false },
      footer: null,
    },
    accountId,
  );
  if (!made.ok) {
    if (mjml !== null) throw refusalOf(made.faults);
    return { html, text };
  }
  const joined = (pieces: CompiledContent["text"] | null) => pieces && hidden.show(pieces.join(""));
  return { html: html ?? joined(made.compiled.html), text: text ?? joined(made.compiled.text) };
}

/** Says why content can't be compiled, or that nobody had time to. */
export function refusalOf(faults: readonly ContentFault[]): AppError {
  if (faults.some(({ code }) => UNDECIDED.has(code)))
    return new AppError(contentBusy, "no thread had time to compile the content; try again");
  return invalid(...faultsOfContent(faults));
}

/** Mail without a template has no placeholders. The compiler knows only content with some, so `{{` and `{%` are hidden from it. */
export function hiding(text: string) {
  const mark = MARKS.find((one) => !text.includes(one)) ?? "";
  return {
    hide: (shown: string) => shown.replaceAll(/\{(?=[{%])/g, mark),
    show: (hidden: string) => (mark === "" ? hidden : hidden.replaceAll(mark, "{")),
  };
}

/** These are of Unicode's private use, and no mail has all of them. */
const MARKS = ["\uE123", "\uE456", "\uE789", "\uEABC", "\uF321"];
