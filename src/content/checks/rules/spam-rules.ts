/** These rules look for what a mail has in common with spam, as far as its author can change it. */

import type { RuleFault } from "../message.ts";
import type { Reading } from "../reading/reading.ts";
import { faultIf, type Rule } from "./rule.ts";

/** This leaves room for a hidden preview text of the usual length and a little more. */
const HIDDEN_CHARACTERS = 200;
/** Fewer capital letters than this may well be an abbreviation. */
const SHOUTED_LETTERS = 8;

/** Gmail refuses these kinds of file, inside an archive or not. */
const executable = new Set(
  (
    "ade adp apk app appx appxbundle bat cab chm cmd com cpl diagcab dll dmg ex ex_ exe hta img ins iso isp jar js " +
    "jse lib lnk mde mjs msc msi msix msp mst nsh pif ps1 reg scr sct shb sys vb vbe vbs vhd vxd wsc wsf wsh xll"
  ).split(" "),
);

const active: Readonly<Record<string, string>> = {
  script: "Scripts are removed by every client, and make filters suspicious.",
  form: "Forms don't work in most clients, and are a mark of phishing.",
  iframe: "Frames are removed by every client.",
  object: "Embedded objects are removed by nearly every client.",
  embed: "Embedded objects are removed by nearly every client.",
  applet: "Applets are removed by every client.",
};

export const spamRules: readonly Rule[] = [
  {
    code: "shouting_subject",
    severity: "warning",
    remedy: "Write it in small letters.",
    find: ({ message: { subject } }) =>
      faultIf(isShouting(subject), "The subject is in capitals, as spam often is.", {
        part: "subject",
        offset: 0,
      }),
  },
  {
    code: "many_exclamation_marks",
    severity: "warning",
    remedy: "One is enough.",
    *find({ message: { subject }, visible }) {
      const marks = subject.match(/[!！]/g)?.length ?? 0;
      if (marks > 2 || /[!！]{2}/.test(subject)) {
        const offset = Math.max(0, subject.search(/[!！]/));
        yield { message: "The subject has many exclamation marks.", at: { part: "subject", offset } };
      }
      for (const { index } of visible.text.matchAll(/(?<![!！])[!！]{3,}/g)) {
        const at = { part: "html", offset: visible.offsetOf(index) } as const;
        yield { message: "There are several exclamation marks in a row.", at, severity: "info" };
      }
    },
  },
  {
    code: "false_reply",
    severity: "warning",
    remedy: "Leave Re: and Fwd: to answers.",
    find: ({ message: { subject, stream } }) =>
      faultIf(
        stream === "campaign" && /^\s*(?:re|fwd?|aw|wg|tr|sv|vs)\s*(?:\[\d+\])?:/i.test(subject),
        "The subject makes the mail look like an answer, which it isn't.",
        { part: "subject", offset: 0 },
      ),
  },
  {
    code: "hidden_text",
    severity: "warning",
    remedy: "Remove what nobody is to read. A preview text may be hidden, if it is short.",
    find: findHiddenText,
  },
  {
    code: "active_content",
    severity: "warning",
    remedy: "Link to a page that does it.",
    *find({ usedFeatures }) {
      for (const [name, message] of Object.entries(active)) {
        const offset = usedFeatures.get(`<${name}>`);
        if (offset !== undefined) yield { message, at: { part: "html", offset } };
      }
    },
  },
  {
    code: "executable_attachment",
    severity: "error",
    remedy: "Put the file on a web site and link to it.",
    *find({ message: { attachments = [] } }) {
      let offset = 0;
      for (const { filename } of attachments) {
        const name = filename.slice(-200).replace(/[.\s]+$/, "");
        const extension = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
        const message = `Mailbox providers refuse mail with .${extension} files.`;
        if (name.includes(".") && executable.has(extension))
          yield { message, at: { part: "attachments", offset } };
        offset += filename.length + 1;
      }
    },
  },
];

/**
 * Tells whether a subject is written in capitals. A script without capitals has neither upper nor lower case letters,
 * so it never is.
 */
function isShouting(subject: string): boolean {
  const upper = subject.match(/\p{Lu}/gu)?.length ?? 0;
  const lower = subject.match(/\p{Ll}/gu)?.length ?? 0;
  return upper >= SHOUTED_LETTERS && upper > 4 * lower;
}

function* findHiddenText({ hidden, message: { preheader } }: Reading): Iterable<RuleFault> {
  if (hidden.characters <= HIDDEN_CHARACTERS + (preheader?.length ?? 0)) return;
  const characters = hidden.characters.toLocaleString("en");
  yield {
    message: `${characters} characters of the mail are hidden, which filters take for a trick.`,
    at: { part: "html", offset: hidden.offset },
  };
}
