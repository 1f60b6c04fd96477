/** The tests and `npm run score` use these messages, of all shapes that a signer must cope with, and these keys. */
import { generateKeyPairSync } from "node:crypto";
import { type DkimKey, loadDkimKey } from "./dkim.ts";

/** Picks a whole number from 0 up to, but not including, `below`. */
export type PickBelow = (below: number) => number;

const names = [
  ...["To", "Cc", "Subject", "Date", "Message-ID", "Reply-To", "Sender", "In-Reply-To", "References"],
  ...["MIME-Version", "Content-Type", "Content-Transfer-Encoding", "List-Unsubscribe"],
  ...[
    "List-Unsubscribe-Post",
    "List-Id",
    "Feedback-ID",
    "X-Mailer",
    "X!#$%&'*+^_`{|}~",
    "Received",
    "From-X",
  ],
];
const words = [
  ...[
    "a",
    "hello",
    "<ada@example.org>",
    "Grüße",
    "件名",
    "😀",
    ".",
    "..",
    "--=_b",
    "=?utf-8?q?=C3=BC?=",
    "=20",
  ],
  ...[
    "b=",
    ";",
    ":",
    "h=from;",
    "DKIM-Signature:",
    "From:",
    "x".repeat(300),
    '"quoted  pair\\"',
    "é\u00a0\u3000",
  ],
];
const blanks = [" ", "  ", "\t", " \t ", "\t\t", "   "];
const folds = ["\r\n ", "\r\n\t", " \r\n  ", "\t\r\n \t", "\r\n \r\n "];

/** Makes a message with one From and any other field several times; fields and lines are folded, blank, empty and 8-bit. */
export function randomMessage(pick: PickBelow): Buffer {
  const fields = times(pick, 16, () => randomField(pick, oneOf(pick, names)));
  fields.splice(pick(fields.length + 1), 0, randomFrom(pick));
  const lines = times(pick, 20, () => randomLine(pick));
  const trailing = times(pick, 4, () => oneOf(pick, ["", "", " ", "\t \t"]));
  const lastBreak = pick(4) === 0 ? "" : "\r\n";
  const body = [...lines, ...trailing].join("\r\n");
  return Buffer.from(`${fields.join("")}\r\n${body}${body === "" ? "" : lastBreak}`);
}

function randomField(pick: PickBelow, name: string): string {
  const cased = oneOf(pick, [name, name, name.toLowerCase(), name.toUpperCase()]);
  const value = times(pick, 6, () => oneOf(pick, words) + oneOf(pick, ["", ...blanks, ...folds])).join("");
  return `${cased}:${oneOf(pick, ["", " ", ...blanks, ...folds])}${value}\r\n`;
}

/** The field has an address, since OpenDKIM reads it, and calls the message malformed without one. */
function randomFrom(pick: PickBelow): string {
  const name = oneOf(pick, ["", '"Ada,  Countess"', "=?utf-8?q?Gr=C3=BC=C3=9Fe?=", "Grüße", "件名 😀"]);
  const blank = () => oneOf(pick, [...blanks, ...folds]);
  return `${oneOf(pick, ["From", "from", "FROM"])}:${blank()}${name}${blank()}<ada@example.org>${blank()}\r\n`;
}

function randomLine(pick: PickBelow): string {
  const text = times(pick, 8, () => oneOf(pick, [...words, "\f", "\x01"]) + oneOf(pick, ["", ...blanks]));
  return oneOf(pick, ["", "", ...blanks]) + text.join("");
}

function times<T>(pick: PickBelow, below: number, make: () => T): T[] {
  return Array.from({ length: pick(below) }, make);
}

function oneOf(pick: PickBelow, choices: readonly string[]): string {
  return choices[pick(choices.length)] as string;
}

export function makeKey(kind: { rsaBits: number } | "ed25519", selector: string): DkimKey {
  const { privateKey } =
    kind === "ed25519"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("rsa", { modulusLength: kind.rsaBits });
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const loaded = loadDkimKey({ domain: "example.org", selector, pem });
  if (!loaded.ok) throw new Error(loaded.detail);
  return loaded.key;
}
