/**
 * A newsletter of about 10 KB with 20 links and 5 variables, and its recipients. Each side reads it from a file,
 * because the references import nothing of ours and both sides must send the same.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileMessage, joinMessage, type MessageTemplate, type Piece } from "../../src/mail/mime/mime.ts";

export type BenchMessage = {
  readonly from: { readonly name: string; readonly address: string };
  readonly replyTo: string;
  readonly returnPath: string;
  readonly subject: readonly Piece[];
  readonly text: readonly Piece[];
  readonly html: readonly Piece[];
  readonly listId: { readonly name: string; readonly id: string };
  readonly unsubscribe: readonly Piece[];
  readonly copies: readonly BenchMessageCopy[];
};

export type BenchMessageCopy = {
  readonly address: string;
  readonly messageId: string;
  readonly values: readonly string[];
};

const COPIES = 1_000;
const LINKS = 20;

const [firstName, city, plan, list, address] = [0, 1, 2, 3, 4].map((slot) => ({ slot })) as [
  Piece,
  Piece,
  Piece,
  Piece,
  Piece,
];
const linkSlots = Array.from({ length: LINKS }, (_, number) => ({ slot: 5 + number }));
const unsubscribeSlot = { slot: 5 + LINKS };

/** Writes the message and one finished copy of it, which is all that the bare SMTP loop sends. */
export function writeMessage(folder: string): { messageFile: string; bodyFile: string; octets: number } {
  const message = makeMessage();
  const messageFile = join(folder, "message.json");
  const bodyFile = join(folder, "message.eml");
  const [, copy] = message.copies;
  if (copy === undefined) throw new Error("the message goes to nobody");
  const body = joinMessage(compileMessage(toTemplate(message)), toCopy(copy, new Date()));
  writeFileSync(messageFile, JSON.stringify(message));
  writeFileSync(bodyFile, body);
  return { messageFile, bodyFile, octets: body.length };
}

export function toTemplate({
  from,
  replyTo,
  subject,
  text,
  html,
  listId,
  unsubscribe,
}: BenchMessage): MessageTemplate {
  return {
    from,
    replyTo: [{ address: replyTo }],
    subject,
    headers: [
      { name: "List-Unsubscribe", kind: "urls", value: [unsubscribe] },
      { name: "List-Unsubscribe-Post", kind: "token", value: "List-Unsubscribe=One-Click" },
      { name: "List-Id", kind: "list_id", value: listId },
    ],
    text,
    html,
    boundary: "letter",
  };
}

export function toCopy({ address, messageId, values }: BenchMessageCopy, date: Date) {
  return { to: [{ address }], date, messageId, values };
}

function makeMessage(): BenchMessage {
  return {
    from: { name: "News of the shop", address: "news@example.org" },
    replyTo: "hello@example.org",
    returnPath: "bounces@example.org",
    subject: ["News for ", firstName, " from the shop"],
    text: makeText(),
    html: makeHtml(),
    listId: { name: "News", id: "news.example.org" },
    unsubscribe: [unsubscribeSlot],
    copies: Array.from({ length: COPIES }, (_, number) => makeCopy(number)),
  };
}

function makeHtml(): Piece[] {
  const rows = linkSlots.flatMap((link, number): Piece[] => [
    '      <tr><td style="padding:8px 24px">\n        <p style="color:#333">What is new in part ',
    `${number} of the shop, in a sentence or two – as short as they are.</p>\n        <a href="`,
    link,
    `">Read on, ${number}</a>\n      </td></tr>\n`,
  ]);
  return [
    "<!doctype html>\n<html><body>\n  <h1>Hello ",
    firstName,
    "</h1>\n  <p>You live in ",
    city,
    ", have the plan ",
    plan,
    " and read ",
    list,
    " as ",
    address,
    '.</p>\n  <table role="presentation">\n',
    ...rows,
    '  </table>\n  <a href="',
    unsubscribeSlot,
    '">Unsubscribe</a>\n</body></html>\n',
  ];
}

function makeText(): Piece[] {
  const rows = linkSlots.flatMap((link, number): Piece[] => [
    `What is new in part ${number} of the shop, in a sentence or two – as short as they are.\n`,
    link,
    "\n\n",
  ]);
  const intro = ["\n\nYou live in ", city, ", have the plan ", plan, " and read ", list, " as ", address];
  return ["Hello ", firstName, ...intro, ".\n\n", ...rows, "Unsubscribe: ", unsubscribeSlot, "\n"];
}

function makeCopy(number: number): BenchMessageCopy {
  const token = `${number}`.padStart(22, "k3JqV");
  const readerAddress = `reader${number}@example.net`;
  const variables = [number % 2 === 0 ? "Anna" : "Zoë", "Köln", "gold", "News of the shop", readerAddress];
  const links = linkSlots.map((_, link) => `https://mail.example.org/c/${token}/${link}`);
  return {
    address: readerAddress,
    messageId: `${token}@example.org`,
    values: [...variables, ...links, `https://mail.example.org/u/${token}`],
  };
}
