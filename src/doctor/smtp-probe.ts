/** Asks a relay what it offers: greeting, EHLO, STARTTLS, EHLO again, QUIT. No sign-in, and no mail. */
import { connect as connectPlain, isIP, type Socket } from "node:net";
import { hostname } from "node:os";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Relay } from "../platform/config/smtp-url.ts";

export type Reply = { readonly code: number; readonly lines: readonly string[] };

export type Seen = {
  readonly kind: "seen";
  /** The keywords of the last EHLO, such as `AUTH PLAIN LOGIN`; empty where only HELO is understood. */
  readonly offers: readonly string[];
  /** What protects the connection; null for plain text. */
  readonly tls: { readonly protocol: string; readonly fault: string | null } | null;
};

export type Probe =
  | Seen
  | { readonly kind: "unreachable"; readonly reason: string }
  /** It answered, and not with what lets us go on. */
  | { readonly kind: "refused"; readonly at: "greeting" | "EHLO" | "STARTTLS"; readonly reply: Reply }
  | { readonly kind: "broken"; readonly at: Stage; readonly reason: string };

type Stage = "connecting" | "the greeting" | "EHLO" | "STARTTLS" | "the TLS handshake";

export async function probeRelay(relay: Relay, timeoutMs: number): Promise<Probe> {
  let stage: Stage = "connecting";
  const signal = AbortSignal.timeout(timeoutMs);
  let socket: Socket | undefined;
  try {
    const plain = connectPlain(relay.port, relay.host);
    socket = plain;
    await happens(plain, "connect", signal);
    let tls: Seen["tls"] = null;
    if (relay.implicitTls) {
      stage = "the TLS handshake";
      const secured = await secure(plain, relay.host, signal);
      [socket, tls] = [secured, describeTls(secured)];
    }
    stage = "the greeting";
    let talk = converse(socket, signal);
    const greeting = await talk.read();
    if (greeting.code !== 220) return { kind: "refused", at: "greeting", reply: greeting };
    stage = "EHLO";
    let offers = await sayHello(talk);
    if ("code" in offers) return { kind: "refused", at: "EHLO", reply: offers };
    if (!tls && offers.includes("STARTTLS")) {
      stage = "STARTTLS";
      const ready = await talk.say("STARTTLS");
      if (ready.code !== 220) return { kind: "refused", at: "STARTTLS", reply: ready };
      talk.end();
      stage = "the TLS handshake";
      const secured = await secure(plain, relay.host, signal);
      [socket, tls] = [secured, describeTls(secured)];
      stage = "EHLO";
      talk = converse(secured, signal);
      // RFC 3207 §4.2: what was offered before is void now.
      offers = await sayHello(talk);
      if ("code" in offers) return { kind: "refused", at: "EHLO", reply: offers };
    }
    socket.write("QUIT\r\n");
    return { kind: "seen", offers, tls };
  } catch (error) {
    const reason = signal.aborted ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
    return stage === "connecting" ? { kind: "unreachable", reason } : { kind: "broken", at: stage, reason };
  } finally {
    const open = socket;
    // A moment for QUIT to leave.
    open?.end();
    setTimeout(() => open?.destroy(), 200).unref();
  }
}

/** EHLO, or HELO where that is unknown (RFC 5321 §3.2); the refusal itself when it wants neither. */
async function sayHello(talk: Conversation): Promise<readonly string[] | Reply> {
  const hello = await talk.say(`EHLO ${ownName()}`);
  if (hello.code === 250) return hello.lines.slice(1).map((line) => line.toUpperCase());
  if (hello.code < 500) return hello;
  const plain = await talk.say(`HELO ${ownName()}`);
  return plain.code === 250 ? [] : plain;
}

function ownName(): string {
  return /^[\w.-]+$/.test(hostname()) ? hostname() : "localhost";
}

type Conversation = { read(): Promise<Reply>; say(command: string): Promise<Reply>; end(): void };

const LONGEST_REPLY = 64 * 1024;

function converse(socket: Socket, signal: AbortSignal): Conversation {
  let text = "";
  let ended: Error | undefined;
  let wake: () => void = () => undefined;
  const onData = (bytes: Buffer) => {
    text += bytes.toString("latin1");
    wake();
  };
  const onEnd = (error?: Error | boolean) => {
    ended ??= error instanceof Error ? error : new Error("the connection was closed");
    wake();
  };
  socket.on("data", onData).on("error", onEnd).on("end", onEnd).on("close", onEnd);
  signal.addEventListener("abort", () => onEnd(signal.reason as Error), { once: true });

  async function read(): Promise<Reply> {
    for (;;) {
      const [whole] = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/.exec(text) ?? [];
      if (whole !== undefined) {
        text = text.slice(whole.length);
        const lines = whole.trimEnd().split(/\r?\n/);
        return { code: Number(whole.slice(0, 3)), lines: lines.map((line) => line.slice(4).trim()) };
      }
      if (text.length > LONGEST_REPLY || /^(?!\d{3}[ -]|\d{0,3}$)[^\n]*\n/.test(text)) {
        throw new Error("what answers doesn't speak SMTP");
      }
      if (ended) throw ended;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return {
    read,
    say(command) {
      socket.write(`${command}\r\n`);
      return read();
    },
    end() {
      socket.off("data", onData).off("error", onEnd).off("end", onEnd).off("close", onEnd);
    },
  };
}

async function secure(plain: Socket, host: string, signal: AbortSignal): Promise<TLSSocket> {
  // A certificate that doesn't hold is a finding, not the end of the conversation.
  const options = { socket: plain, rejectUnauthorized: false, ...(isIP(host) === 0 && { servername: host }) };
  const secured = connectTls({ ...options, host });
  await happens(secured, "secureConnect", signal);
  return secured;
}

function describeTls(socket: TLSSocket): NonNullable<Seen["tls"]> {
  const { authorized, authorizationError } = socket;
  const fault = authorized ? null : String((authorizationError as Error)?.message ?? authorizationError);
  return { protocol: socket.getProtocol() ?? "TLS", fault };
}

function happens(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    // Stays on: an error without a listener would end the process.
    socket.on("error", reject);
    socket.once("close", () => reject(new Error("the connection was closed")));
    socket.once(event, () => {
      signal.removeEventListener("abort", abort);
      resolve();
    });
  });
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  // An AggregateError is what Node throws when every address of a host refused.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return code?.startsWith("ERR_SSL") ? message : (code ?? message);
}
