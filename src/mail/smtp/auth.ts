/** Signs in by RFC 4954, with PLAIN (RFC 4616), LOGIN, CRAM-MD5 (RFC 2195) or XOAUTH2. */
import { createHmac } from "node:crypto";
import { ask, isFailure, type Session, type SmtpReply } from "./dialogue.ts";
import type { AuthMethod, Credentials, SmtpSettings } from "./options.ts";
import { failWith, judgeReply, type Result } from "./outcome.ts";

/** Returns a failure, or null. Its text holds no secret of ours, even where the server repeats one. */
export async function signIn(session: Session, settings: SmtpSettings): Promise<Result | null> {
  const { credentials } = settings;
  if (!credentials) return null;
  if (
    !session.isSecure &&
    !settings.allowPlainTextAuth &&
    !isLoopback(session.channel.socket.remoteAddress)
  ) {
    return failWith("unreachable", "auth", "there is no TLS, and a password isn't sent without it");
  }
  const method = chooseMethod(session.capabilities.authMethods, credentials, session.isSecure);
  if (!method) return failWith("unreachable", "auth", "the server offers no way to sign in that we can use");
  const secret = await readSecret(credentials);
  if (typeof secret !== "string") return secret;

  const said = new Set([credentials.user, secret]);
  const outcome = await exchange(session, settings, method, credentials.user, secret, said);
  if (isFailure(outcome)) return outcome;
  if (outcome.code < 300) return null;
  const lines = outcome.lines.map((line) => withoutSecrets(line, said));
  return judgeReply("auth", outcome.code, lines);
}

async function exchange(
  session: Session,
  settings: SmtpSettings,
  method: AuthMethod,
  user: string,
  secret: string,
  said: Set<string>,
): Promise<SmtpReply | Result> {
  const say = (line: string) => {
    said.add(line.slice(line.lastIndexOf(" ") + 1));
    return ask(session, { phase: "auth", timeoutMs: settings.timeouts.commandMs, line });
  };
  if (method === "PLAIN") return say(`AUTH PLAIN ${encode(`\0${user}\0${secret}`)}`);
  if (method === "XOAUTH2") {
    const answer = await say(`AUTH XOAUTH2 ${encode(`user=${user}\x01auth=Bearer ${secret}\x01\x01`)}`);
    // A 334 carries an error in JSON here; the refusal itself comes after we have sent an empty line.
    return isFailure(answer) || answer.code !== 334 ? answer : say("");
  }
  let answer = await ask(session, {
    phase: "auth",
    timeoutMs: settings.timeouts.commandMs,
    line: `AUTH ${method}`,
  });
  if (isFailure(answer) || answer.code !== 334) return answer;
  if (method === "CRAM-MD5") return say(encode(`${user} ${digest(answer.lines, secret)}`));
  answer = await say(encode(user));
  return isFailure(answer) || answer.code !== 334 ? answer : say(encode(secret));
}

/** Without TLS, the method that doesn't reveal the password comes first. */
function chooseMethod(
  offered: readonly string[],
  credentials: Credentials,
  isSecure: boolean,
): AuthMethod | undefined {
  if ("accessToken" in credentials) return offered.includes("XOAUTH2") ? "XOAUTH2" : undefined;
  if (credentials.method) return offered.includes(credentials.method) ? credentials.method : undefined;
  const known: AuthMethod[] = isSecure ? ["PLAIN", "LOGIN", "CRAM-MD5"] : ["CRAM-MD5", "PLAIN", "LOGIN"];
  return known.find((method) => offered.includes(method));
}

async function readSecret(credentials: Credentials): Promise<string | Result> {
  if ("password" in credentials) return credentials.password;
  try {
    return await credentials.accessToken();
  } catch {
    return failWith("unreachable", "auth", "there is no access token to sign in with");
  }
}

function digest(challenge: readonly string[], secret: string): string {
  return createHmac("md5", secret)
    .update(Buffer.from(challenge.join(""), "base64"))
    .digest("hex");
}

function withoutSecrets(line: string, said: ReadonlySet<string>): string {
  return [...said].reduce(
    (text, secret) => (secret.length < 3 ? text : text.replaceAll(secret, "***")),
    line,
  );
}

/** Checks the address that was reached and not the name that was asked for, since a name may resolve to anything. */
function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}

function encode(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
