/** Tries a server once, as a pool would use it, and reports how far that went and how long each part took. */
import { createConversation } from "./conversation.ts";
import type { Session } from "./dialogue.ts";
import { openSession } from "./handshake.ts";
import { type SmtpOptions, type SmtpSettings, settle } from "./options.ts";
import { failWith, type Phase, type Result } from "./outcome.ts";
import { createTransaction, decide, type SmtpMessage } from "./transaction.ts";

export type Probe = {
  /** Is null where everything went well. */
  readonly failure: Result | null;
  /** The steps in their order, with the one that failed last. `message` is everything from MAIL to the final reply. */
  readonly steps: readonly { readonly phase: Step; readonly durationMs: number }[];
  /** Says whether the connection was under TLS when it ended. */
  readonly isSecure: boolean;
  /** Is false also where the probe failed before EHLO. */
  readonly pipelining: boolean;
  /** The greatest message that the server takes, 0 where it names no limit; null where the probe failed before EHLO. */
  readonly sizeLimit: number | null;
};

type Step = Phase | "message";

/** Connects, signs in where there are credentials, sends `message` where there is one, and says QUIT. */
export async function probeServer(
  options: SmtpOptions,
  { limitMs, message }: { readonly limitMs: number; readonly message?: SmtpMessage },
): Promise<Probe> {
  const settings = settle(options);
  const { monotonicMs } = settings.clock;
  const limit = AbortSignal.timeout(limitMs);
  const begun: Begun[] = [];
  const begin = (phase: Step) => void begun.push({ phase, atMs: monotonicMs() });
  const session = await openSession(settings, limit, begin);
  const isOpen = !("kind" in session);
  if (isOpen && message) begin("message");
  const outcome = isOpen ? await converse(session, settings, message, limit) : session;
  return {
    failure: outcome && outcome.kind !== "accepted" ? inTime(outcome, limit, limitMs) : null,
    steps: durationsOf(begun, monotonicMs()),
    isSecure: isOpen ? session.isSecure : wasSecured(begun),
    pipelining: isOpen && session.capabilities.pipelining,
    sizeLimit: isOpen ? (session.capabilities.sizeLimit ?? 0) : null,
  };
}

type Begun = { readonly phase: Step; readonly atMs: number };

function durationsOf(begun: readonly Begun[], endMs: number): Probe["steps"] {
  return begun.map(({ phase, atMs }, at) => ({ phase, durationMs: (begun[at + 1]?.atMs ?? endMs) - atMs }));
}

/** Only a TLS handshake that succeeded is followed by a greeting, or by EHLO for the second time (RFC 3207 §4.2). */
function wasSecured(begun: readonly Begun[]): boolean {
  const phases = begun.map(({ phase }) => phase).join(" ");
  return phases.includes("tls greeting") || phases.includes("starttls ehlo");
}

/** Returns the outcome of the message, without waiting for the reply to QUIT. */
function converse(
  session: Session,
  settings: SmtpSettings,
  message: SmtpMessage | undefined,
  limit: AbortSignal,
): Promise<Result | null> {
  const conversation = createConversation(session, settings, {
    free: (self) => void self.quit(),
    gone: () => undefined,
    retry: (tx) => decide(tx, failWith("unreachable", "mail", "the server closed the connection")),
    next: () => undefined,
    slowed: () => undefined,
    accepted: () => undefined,
  });
  if (!message) {
    void conversation.quit();
    return Promise.resolve(null);
  }
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      conversation.cut();
      conversation.abandon();
    };
    limit.addEventListener("abort", giveUp, { once: true });
    conversation.begin(createTransaction(message, resolve, reject));
    if (limit.aborted) giveUp();
  });
}

function inTime(failure: Result, limit: AbortSignal, limitMs: number): Result {
  if (!limit.aborted || failure.code !== null) return failure;
  const kind = failure.kind === "ambiguous" ? "ambiguous" : "unreachable";
  return failWith(kind, failure.phase, `the server didn't answer within ${limitMs / 1_000} s`);
}
