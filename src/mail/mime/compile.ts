/** Turns a template into what all copies share, encoded once, with gaps only where copies differ. */
import { writeBase64 } from "./base64.ts";
import { type Body, writeBody } from "./body.ts";
import { checkFields } from "./field-names.ts";
import { fieldHasSlots, formatDate, formatField, formatMailboxes, formatMessageIds } from "./headers.ts";
import { type Part, planParts } from "./structure.ts";
import type { HeaderField, MessageCopy, MessageTemplate } from "./template.ts";
import { createWriter, takeBytes, writeText } from "./writer.ts";

export type CompiledMessage = {
  /** Each item is text, or a function that returns the text of a header field for one copy. */
  readonly head: readonly (string | ((copy: MessageCopy) => string))[];
  readonly steps: readonly Step[];
  /** All that follows the last gap; attachments are always in it. */
  readonly tail: Uint8Array;
};

type Step =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "body"; readonly body: Body; readonly endsMessage: boolean };

export function compileMessage(template: MessageTemplate): CompiledMessage {
  const root = planParts(template);
  const steps = compileParts(root);
  const last = steps.at(-1);
  const tail = last?.kind === "bytes" ? last.bytes : new Uint8Array();
  return {
    head: compileHead(template, root.headers),
    steps: last?.kind === "bytes" ? steps.slice(0, -1) : steps,
    tail,
  };
}

/**
 * The order is always Date, From, To, Reply-To, Subject, Message-ID, the further headers as given, MIME-Version, then
 * Content-*.
 */
function compileHead(template: MessageTemplate, contentHeaders: readonly string[]): CompiledMessage["head"] {
  const { from, replyTo = [], subject, headers = [] } = template;
  checkFields(headers);
  const fields = [
    (copy: MessageCopy) => formatDate("Date", copy.date),
    compileField({ kind: "mailboxes", name: "From", value: [from] }),
    (copy: MessageCopy) => formatMailboxes("To", copy.to),
    ...(replyTo.length > 0 ? [compileField({ kind: "mailboxes", name: "Reply-To", value: replyTo })] : []),
    compileField({ kind: "text", name: "Subject", value: subject }),
    (copy: MessageCopy) => formatMessageIds("Message-ID", [copy.messageId]),
    ...headers.map(compileField),
    "MIME-Version: 1.0",
    ...contentHeaders,
  ];
  return mergeTexts([...fields.flatMap((field) => [field, "\r\n"]), "\r\n"]);
}

function mergeTexts(head: CompiledMessage["head"]): CompiledMessage["head"] {
  const merged: CompiledMessage["head"][number][] = [];
  for (const part of head) {
    const last = merged.at(-1);
    if (typeof part === "string" && typeof last === "string") merged[merged.length - 1] = last + part;
    else merged.push(part);
  }
  return merged;
}

function compileField(field: HeaderField): CompiledMessage["head"][number] {
  if (fieldHasSlots(field)) return (copy) => formatField(field, copy.values);
  return formatField(field, []);
}

/** Bodies with slots stay steps of their own; everything between them is merged. */
function compileParts(root: Part): Step[] {
  const steps: Step[] = [];
  const run = createWriter(4096);
  const endRun = () => {
    if (run.at > 0) steps.push({ kind: "bytes", bytes: takeBytes(run) });
    run.at = 0;
  };
  const add = (part: Part, isRoot: boolean) => {
    if (!isRoot) writeText(run, [...part.headers, "", ""].join("\r\n"));
    if (part.kind === "text" && part.isStatic) writeBody(run, part.body, [], isRoot);
    if (part.kind === "text" && !part.isStatic) {
      endRun();
      steps.push({ kind: "body", body: part.body, endsMessage: isRoot });
    }
    if (part.kind === "file") writeBase64(run, part.content);
    if (part.kind !== "multipart") return;
    for (const [index, child] of part.parts.entries()) {
      writeText(run, `${index > 0 ? "\r\n" : ""}--${part.boundary}\r\n`);
      add(child, false);
    }
    writeText(run, `\r\n--${part.boundary}--${isRoot ? "\r\n" : ""}`);
  };
  add(root, true);
  endRun();
  return steps;
}
