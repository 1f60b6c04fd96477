/**
 * A newsletter of about 10 KB as it is sent, with 20 tracked links and 5 variables: as a campaign, and as
 * nodemailer's message.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Piece } from "../../src/mail/mime/mime.ts";
import type { BenchMessage, BenchMessageCopy } from "../mail/message.ts";

const LINKS = 20;
const COPIES = 1_000;
const VARIABLES = ["first_name", "fields.points", "list.name", "campaign.name", "email"];

const FROM = { name: "News of the shop", address: "news@example.org" };
export const POSTAL_ADDRESS = "1 High Street, London N1 1AA, UK";
export const PUBLIC_URL = "https://mail.example.org";

type Part = string | { readonly variable: number } | { readonly link: number } | "unsubscribe";

/** With Liquid, every link is another for each recipient, and is rendered when it is followed. */
export type LinkStyle = "plain" | "liquid";

/** Makes the campaign for the API. The program itself adds the footer, the pixel and the tracked links. */
export function campaignOf(listId: string, links: LinkStyle) {
  const write = (parts: readonly Part[]) => parts.map((part) => toLiquid(part, links)).join("");
  return {
    name: "November",
    list_id: listId,
    subject: write(subject),
    html: write(html),
    text: write(text),
    from_name: FROM.name,
    from_email: FROM.address,
    reply_to: "hello@example.org",
    tracking: { opens: true, clicks: true },
  };
}

function toLiquid(part: Part, links: LinkStyle): string {
  if (part === "unsubscribe") return "{{ unsubscribe_url }}";
  if (typeof part === "string") return part;
  if (!("link" in part)) return `{{ ${VARIABLES[part.variable]} }}`;
  const more = links === "liquid" ? "&to={{ first_name }}" : "";
  return `https://shop.example/november/item/${part.link}?from=news${more}`;
}

/** Writes the same message for the other side, with addresses as long as the tracked ones. */
export function writeMessage(folder: string): string {
  const write = (parts: readonly Part[]) => parts.map(toPiece);
  const message: BenchMessage = {
    from: FROM,
    replyTo: "hello@example.org",
    returnPath: FROM.address,
    subject: write(subject),
    html: [
      ...write(html),
      `<p>${POSTAL_ADDRESS}</p>\n<img src="`,
      { slot: PIXEL },
      '" width="1" height="1" alt="">',
    ],
    text: [...write(text), `\n-- \n${POSTAL_ADDRESS}\n`],
    listId: { name: "Bench", id: "bench.example.org" },
    unsubscribe: [{ slot: UNSUBSCRIBE }],
    copies: Array.from({ length: COPIES }, (_, number) => makeCopy(number)),
  };
  const file = join(folder, "newsletter.json");
  writeFileSync(file, JSON.stringify(message));
  return file;
}

const UNSUBSCRIBE = VARIABLES.length + LINKS;
const PIXEL = UNSUBSCRIBE + 1;

function toPiece(part: Part): Piece {
  if (part === "unsubscribe") return { slot: UNSUBSCRIBE };
  if (typeof part === "string") return part;
  return { slot: "link" in part ? VARIABLES.length + part.link : part.variable };
}

/** A token of the campaign's links has 65 bytes in base64url. */
function makeCopy(number: number): BenchMessageCopy {
  const token = `${number}`.padStart(87, "k3JqVx8TzB");
  const address = `person${number}.${number * 7}@example${number % 97}.com`;
  const links = Array.from({ length: LINKS }, (_, link) => `${PUBLIC_URL}/c/${token}/${link}`);
  const values = ["Ada", String(number % 100), "Bench", "November", address, ...links];
  return {
    address,
    messageId: `${token.slice(-40)}@example.org`,
    values: [...values, `${PUBLIC_URL}/u/${token}`, `${PUBLIC_URL}/o/${token}`],
  };
}

const variable = (number: number): Part => ({ variable: number });
const link = (number: number): Part => ({ link: number });

const subject: readonly Part[] = ["News for ", variable(0), " – and ", variable(1), " points"];

const greeting: readonly Part[] = [
  "You have ",
  variable(1),
  " points, and read ",
  variable(3),
  " of ",
  variable(2),
  " as ",
  variable(4),
  ".",
];

const html: readonly Part[] = [
  "<!doctype html>\n<html><body>\n<h1>Hello ",
  variable(0),
  "</h1>\n<p>",
  ...greeting,
  '</p>\n<table role="presentation">\n',
  ...Array.from({ length: LINKS }, (_, number): Part[] => [
    `<tr><td><p style="color:#333333">What is new in part ${number} – short.</p><a href="`,
    link(number),
    `">Read on</a></td></tr>\n`,
  ]).flat(),
  '</table>\n<a href="',
  "unsubscribe",
  '">Unsubscribe</a>\n</body></html>\n',
];

const text: readonly Part[] = [
  "Hello ",
  variable(0),
  "\n\n",
  ...greeting,
  "\n\n",
  ...Array.from({ length: LINKS }, (_, number): Part[] => [
    `What is new in part ${number} – short.\n`,
    link(number),
    "\n\n",
  ]).flat(),
  "Unsubscribe: ",
  "unsubscribe",
  "\n",
];
