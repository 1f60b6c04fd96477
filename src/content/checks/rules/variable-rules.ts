/** These rules find what personalisation left behind: unknown names, tags of other services, greetings without a name. */

import type { Part, RuleFault } from "../message.ts";
import type { Reading } from "../reading/reading.ts";
import { type Rule, textParts } from "./rule.ts";

/**
 * Matches tags of Liquid, Mailchimp, Salesforce, SendGrid and ERB. Each match is bounded, so that an opening without
 * an end costs nothing.
 */
const leftOver =
  /\{\{[^{}]{0,200}\}\}|\{%[^{}]{0,200}%\}|\*\|[A-Z\d_:]{1,60}\|\*|%%[A-Za-z_][\w ]{0,60}%%|<%=?[^<>]{0,200}%>|&lt;%=?[^<>]{0,200}%&gt;/g;

/** A greeting whose name came out empty has a blank before its comma. */
const emptyGreeting =
  /(?<![\p{L}\p{M}])(?:dear|hi|hello|hey|bonjour|cher|chère|salut|hallo|liebe[rs]?|hola|estimad[oa]|querid[oa]|ciao|car[oa]|olá|beste|hej|witaj)[\s\u00A0]{1,5},/giu;
/** Matches a greeting with what programs print for a missing value. */
const nothing =
  /(?<![\p{L}\p{M}])(?:dear|hi|hello|hey) (?:undefined|null|none|nan|\[object Object\])(?![\p{L}\p{M}])/giu;

export const variableRules: readonly Rule[] = [
  {
    code: "unresolved_variable",
    severity: "error",
    remedy: "Correct the name, or add the field that is meant.",
    *find({ message: { unresolved = [] } }) {
      for (const { part, name } of unresolved) {
        const where = part === "html" ? "the HTML" : part === "text" ? "the text part" : "the subject";
        yield { message: `Nothing is known by the name ${name.slice(0, 60)}, which ${where} asks for.` };
      }
    },
  },
  {
    code: "leftover_merge_tag",
    severity: "warning",
    remedy: "Write it as {{ first_name }} and the like, or remove it.",
    *find({ message }) {
      for (const [part, text] of [...textParts(message), ["html", message.html] as const]) {
        for (const { 0: tag, index } of text.matchAll(leftOver)) {
          const shown = tag.slice(0, 60).replaceAll("&lt;", "<").replaceAll("&gt;", ">");
          yield { message: `Recipients will see ${shown} as it stands.`, at: { part, offset: index } };
        }
      }
    },
  },
  {
    code: "empty_greeting",
    severity: "warning",
    remedy: 'Give it a word to fall back on, as in {{ first_name | default: "there" }}.',
    find: findEmptyGreetings,
  },
];

function* findEmptyGreetings({ message, visible }: Reading): Iterable<RuleFault> {
  const first = /^\s*[,!.;:]/.exec(message.subject);
  if (first) yield describe(first[0].trim(), "subject", 0);
  for (const [part, text] of textParts(message)) {
    for (const { 0: greeting, index } of findGreetings(text)) yield describe(greeting, part, index);
  }
  for (const { 0: greeting, index } of findGreetings(visible.text)) {
    yield describe(greeting, "html", visible.offsetOf(index));
  }
}

function* findGreetings(text: string): Iterable<RegExpExecArray> {
  yield* text.matchAll(emptyGreeting);
  yield* text.matchAll(nothing);
}

function describe(greeting: string, part: Part, offset: number): RuleFault {
  const shown = greeting.replaceAll(/\s+/g, " ");
  return { message: `A name seems to be missing: ${JSON.stringify(shown)}.`, at: { part, offset } };
}
