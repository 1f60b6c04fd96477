/** Reads command lines (RFC 5321 §4.1) without I/O. */
import { parseAddress } from "../addresses.ts";
import { type Reply, reply } from "./reply.ts";

export type Command = { readonly verb: string; readonly argument: string };

/** Returns undefined for what isn't text: bytes that aren't UTF-8, and control characters. */
export function readCommand(line: Buffer): Command | undefined {
  const text = decode(line);
  if (text === undefined || /\p{Cc}/u.test(text.replaceAll("\t", " "))) return undefined;
  const [, verb = "", argument = ""] = /^(\S*)\s*(.*)$/u.exec(text.trimEnd()) ?? [];
  return { verb: verb.toUpperCase(), argument };
}

const strict = new TextDecoder("utf-8", { fatal: true });

function decode(line: Buffer): string | undefined {
  try {
    return strict.decode(line);
  } catch {
    return undefined;
  }
}

export type MailCommand = { readonly from: string; readonly isUtf8: boolean };

/** Reads `MAIL FROM:<…>` with its parameters, or says what is wrong with it. A receiver also takes it from hosts without a dot. */
export function readMailCommand(
  argument: string,
  mostBytes: number,
  isReceiver = false,
): MailCommand | Reply {
  const path = readPath("FROM", argument);
  if (!path) return reply(501, "5.5.4", "Say MAIL FROM:<address>");
  let isUtf8 = false;
  for (const [name, value] of path.parameters) {
    if (name === "SIZE" && /^\d{1,20}$/.test(value ?? "")) {
      if (Number(value) > mostBytes)
        return reply(552, "5.3.4", `The mail is larger than ${mostBytes} bytes, which is the most`);
    } else if (name === "SMTPUTF8" && value === undefined) isUtf8 = true;
    else if (name === "BODY" && /^(?:7BIT|8BITMIME)$/i.test(value ?? "")) continue;
    // RFC 4954 §5 wants it to be taken; nobody else is believed here than who has logged in.
    else if (name === "AUTH" && value !== undefined) continue;
    else return reply(555, "5.5.4", "A parameter of MAIL isn't known, or its value is wrong");
  }
  if (path.address === "") return { from: "", isUtf8 };
  return isFine(path.address, isUtf8, isReceiver) ?? { from: path.address, isUtf8 };
}

/** Reads `RCPT TO:<…>`, or says what is wrong with it. RFC 5321 §4.1.1.3 wants `<postmaster>` without a domain of a receiver. */
export function readRcptCommand(
  argument: string,
  isUtf8: boolean,
  isReceiver = false,
): { readonly to: string } | Reply {
  const path = readPath("TO", argument);
  if (!path || path.address === "") return reply(501, "5.5.4", "Say RCPT TO:<address>");
  if (path.parameters.length > 0) return reply(555, "5.5.4", "RCPT takes no parameters here");
  if (isReceiver && path.address.toLowerCase() === "postmaster") return { to: path.address };
  return isFine(path.address, isUtf8) ?? { to: path.address };
}

function isFine(address: string, isUtf8: boolean, mayLackDot = false): Reply | undefined {
  const parsed = parseAddress(address);
  if (!parsed.ok && !(mayLackDot && parsed.reason === "single_label_domain"))
    return reply(553, "5.1.3", parsed.detail);
  if (!isUtf8 && !/^[\x00-\x7f]*$/.test(address))
    return reply(553, "5.6.7", "An address that isn't ASCII needs MAIL FROM:<…> SMTPUTF8");
  return undefined;
}

type Path = {
  readonly address: string;
  readonly parameters: readonly (readonly [name: string, value: string | undefined])[];
};

function readPath(word: string, argument: string): Path | undefined {
  // Some clients put a blank before the bracket.
  const [, given, address = "", rest = ""] = /^(\w+):\s*<([^<>\s]*)>(.*)$/u.exec(argument) ?? [];
  if (given?.toUpperCase() !== word || !/^(?:\s|$)/.test(rest)) return undefined;
  const words = rest.split(/\s+/).filter((one) => one !== "");
  return {
    address,
    parameters: words.map((one) => {
      const at = one.indexOf("=");
      return at < 0 ? [one.toUpperCase(), undefined] : [one.slice(0, at).toUpperCase(), one.slice(at + 1)];
    }),
  };
}
