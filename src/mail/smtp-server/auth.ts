/** The exchange of AUTH PLAIN (RFC 4616) and AUTH LOGIN, with and without an initial response (RFC 4954 §4). */
import { type Reply, reply } from "./reply.ts";

export type Credentials = { readonly user: string; readonly password: string };
/** Sends a challenge and returns the client's answer, or undefined where there is none. */
export type Challenge = (text: string) => Promise<Buffer | undefined>;

const CANCELED = reply(501, "5.7.0", "Canceled");
const MALFORMED = reply(501, "5.5.2", "That isn't base64, or not what this mechanism sends");
const [USER_NAME, PASSWORD] = ["Username:", "Password:"].map((text) => Buffer.from(text).toString("base64"));

/** Returns undefined where the connection ended meanwhile. */
export async function readCredentials(
  argument: string,
  challenge: Challenge,
): Promise<Credentials | Reply | undefined> {
  const [mechanism = "", initial, ...others] = argument.split(/\s+/);
  if (others.length > 0) return MALFORMED;
  switch (mechanism.toUpperCase()) {
    case "PLAIN":
      return readPlain(initial, challenge);
    case "LOGIN":
      return readLogin(initial, challenge);
    default:
      return reply(504, "5.5.4", "Only AUTH PLAIN and AUTH LOGIN are known");
  }
}

async function readPlain(initial: string | undefined, challenge: Challenge) {
  const given = await ask(initial, "", challenge);
  if (given === undefined || typeof given !== "string") return given;
  const [, user, password, ...others] = given.split("\0");
  if (user === undefined || password === undefined || others.length > 0) return MALFORMED;
  return { user, password };
}

async function readLogin(initial: string | undefined, challenge: Challenge) {
  const user = await ask(initial, USER_NAME as string, challenge);
  if (user === undefined || typeof user !== "string") return user;
  const password = await ask(undefined, PASSWORD as string, challenge);
  if (password === undefined || typeof password !== "string") return password;
  return { user, password };
}

async function ask(
  initial: string | undefined,
  question: string,
  challenge: Challenge,
): Promise<string | Reply | undefined> {
  const line = initial ?? (await challenge(question))?.toString("latin1");
  if (line === undefined) return undefined;
  if (line === "*") return CANCELED;
  // A single equals sign is an empty initial response.
  if (initial === "=") return "";
  if (line.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(line)) return MALFORMED;
  return Buffer.from(line, "base64").toString("utf8");
}
