/** Opens a connection to a server and gets it ready for a first message. */
import { isIP, type LookupFunction, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { signIn } from "./auth.ts";
import { noCapabilities, readCapabilities } from "./capabilities.ts";
import { connectPlain } from "./channel.ts";
import { ask, createSession, demand, isFailure, type Session } from "./dialogue.ts";
import type { SmtpSettings } from "./options.ts";
import { failWith, judgeReply, type Phase, type Result } from "./outcome.ts";

/**
 * Never throws, whatever a server does. `signal` ends the attempt as a failure. `onPhase` is called when a phase begins.
 */
export async function openSession(
  settings: SmtpSettings,
  signal: AbortSignal,
  onPhase: (phase: Phase) => void = () => undefined,
): Promise<Session | Result> {
  const socket = await connect(settings, signal, onPhase);
  if (!isSocket(socket)) return socket;
  const session = createSession(socket, settings, settings.tls === "implicit");
  // The socket is destroyed without telling the channel, so that whoever awaits a reply hears of the loss.
  const onAbort = () => session.channel.socket.destroy();
  signal.addEventListener("abort", onAbort);
  const during = (phase: Phase, work: () => Promise<Result | null>) => {
    onPhase(phase);
    return work();
  };
  const failure =
    (await during("greeting", () => awaitGreeting(session, settings))) ??
    (await during("ehlo", () => sayHello(session, settings))) ??
    (await startTls(session, settings, signal, onPhase)) ??
    (settings.credentials ? await during("auth", () => signIn(session, settings)) : null);
  signal.removeEventListener("abort", onAbort);
  if (failure) session.channel.destroy();
  return failure ?? session;
}

async function connect(
  settings: SmtpSettings,
  signal: AbortSignal,
  onPhase: (phase: Phase) => void,
): Promise<Socket | Result> {
  const { host, port, lookup, timeouts } = settings;
  onPhase("connect");
  const refusal = lookup && isIP(host) !== 0 ? await askOfLiteral(lookup, host) : null;
  if (refusal) return refusal;
  // Node itself tries IPv6 and IPv4 in turn (autoSelectFamily, RFC 8305).
  const socket = connectPlain({ host, port, keepAlive: true, ...(lookup && { lookup }) });
  const failure = await awaitEvent(socket, "connect", "connect", timeouts.connectMs, signal);
  if (failure) return failure;
  if (settings.tls !== "implicit") return socket;
  onPhase("tls");
  return secure(socket, settings, "tls", signal);
}

/** Calls `lookup` for a literal address, because a socket doesn't. */
function askOfLiteral(lookup: LookupFunction, host: string): Promise<Result | null> {
  return new Promise((resolve) => {
    lookup(host, { all: true }, (error) =>
      resolve(error ? failWith("unreachable", "connect", nameError(error)) : null),
    );
  });
}

async function awaitGreeting(session: Session, { timeouts }: SmtpSettings): Promise<Result | null> {
  const answer = await demand(session, { phase: "greeting", timeoutMs: timeouts.greetingMs });
  return isFailure(answer) ? answer : null;
}

/**
 * Falls back to HELO for servers that don't know EHLO (RFC 5321 §3.2) and answer 5yz, unless they refuse the connection
 * itself.
 */
async function sayHello(session: Session, settings: SmtpSettings): Promise<Result | null> {
  const name = settings.name ?? addressLiteral(session.channel.socket.localAddress);
  const question = { phase: "ehlo", timeoutMs: settings.timeouts.commandMs } as const;
  const answer = await ask(session, { ...question, line: `EHLO ${name}` });
  if (isFailure(answer)) return answer;
  if (answer.code < 300) {
    session.capabilities = readCapabilities(answer.lines);
    return null;
  }
  if (answer.code < 500) return judgeReply("ehlo", answer.code, answer.lines);
  const second = await demand(session, { ...question, line: `HELO ${name}` });
  session.capabilities = noCapabilities;
  return isFailure(second) ? second : null;
}

/** After STARTTLS (RFC 3207) everything said before is forgotten, and EHLO is sent again (§4.2). */
async function startTls(
  session: Session,
  settings: SmtpSettings,
  signal: AbortSignal,
  onPhase: (phase: Phase) => void,
): Promise<Result | null> {
  const { tls, timeouts } = settings;
  const isOffered = session.capabilities.startTls;
  if (tls === "implicit" || tls === "never" || (tls === "opportunistic" && !isOffered)) return null;
  onPhase("starttls");
  if (!isOffered) {
    return failWith("unreachable", "starttls", "the server offers no STARTTLS, and TLS is required");
  }
  const question = { phase: "starttls", timeoutMs: timeouts.commandMs, line: "STARTTLS" } as const;
  const answer = await ask(session, { ...question, isLastBeforeTls: true });
  if (isFailure(answer)) return answer;
  if (answer.code >= 300) {
    const isFatal = tls === "required" || answer.code === 421;
    return isFatal ? judgeReply("starttls", answer.code, answer.lines) : null;
  }
  const socket = await secure(session.channel.socket, settings, "starttls", signal);
  if (!isSocket(socket)) return socket;
  session.channel = createSession(socket, settings, true).channel;
  session.isSecure = true;
  session.capabilities = noCapabilities;
  onPhase("ehlo");
  return sayHello(session, settings);
}

async function secure(
  plain: Socket,
  settings: SmtpSettings,
  phase: "tls" | "starttls",
  signal: AbortSignal,
): Promise<TLSSocket | Result> {
  const { serverName, verifyCertificate, ca, timeouts } = settings;
  let socket: TLSSocket;
  try {
    socket = connectTls({
      socket: plain,
      host: serverName,
      ...(isIP(serverName) ? {} : { servername: serverName }), // SNI takes no addresses (RFC 6066 §3).
      ...(ca === undefined ? {} : { ca }),
      rejectUnauthorized: verifyCertificate,
      minVersion: "TLSv1.2", // RFC 8314 §4.1 asks for this.
    });
  } catch (error) {
    plain.destroy(); // A `ca` that is no certificate throws, for one.
    return failWith("unreachable", phase, (error as Error).message);
  }
  return (await awaitEvent(socket, "secureConnect", phase, timeouts.tlsMs, signal)) ?? socket;
}

function awaitEvent(
  socket: Socket,
  event: "connect" | "secureConnect",
  phase: Phase,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Result | null> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish("the server didn't answer in time"), timeoutMs);
    const finish = (why: string | null) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off(event, onEvent).off("error", onError).off("close", onClose);
      if (why !== null) socket.destroy();
      resolve(why === null ? null : failWith("unreachable", phase, why));
    };
    const onEvent = () => finish(null);
    const onError = (error: Error) => finish(nameError(error));
    const onClose = () => finish("the server closed the connection");
    const onAbort = () => finish("the attempt was given up");
    // This listener stays: an error without one would end the process, and an error may come at any time.
    socket.on("error", () => undefined);
    socket.once(event, onEvent).once("error", onError).once("close", onClose);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
}

/** When several addresses failed, Node throws an AggregateError with an empty message. */
function nameError(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  const inner =
    error instanceof AggregateError ? (error.errors as Error[]).map(({ message }) => message) : [];
  const message = error.message || inner.join("; ");
  return code && !message.includes(code) ? `${message} (${code})` : message;
}

function addressLiteral(address: string | undefined): string {
  if (!address) return "[127.0.0.1]";
  return address.includes(":") ? `[IPv6:${address.replace(/%.*/, "")}]` : `[${address}]`;
}

function isSocket(outcome: Socket | Result): outcome is Socket {
  return !("kind" in outcome);
}
