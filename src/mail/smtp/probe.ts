/** Tries a server once, as a pool would use it, and says how far that went and how long each part took. */
import { createConversation } from "./conversation.ts";
import type { Session } from "./dialogue.ts";
import { openSession } from "./handshake.ts";
import { type Settings, type SmtpOptions, settle } from "./options.ts";
import { failWith, type Phase, type Result } from "./outcome.ts";
import { createTransaction, decide, type SmtpMessage } from "./transaction.ts";

export type Probe = {
  /** Null: everything went well. */
  readonly failure: Result | null;
  /** In their order, the one that failed last. `message` is everything from MAIL to the final reply. */
  readonly steps: readonly { readonly phase: Step; readonly durationMs: number }[];
  /** Null where it never came so far. */
  readonly server: {
    readonly isSecure: boolean;
    readonly pipelining: boolean;
    readonly authMethods: readonly string[];
  } | null;
};

type Step = Phase | "message";

/** Connects, signs in where there are credentials, sends `message` where there is one, and leaves. */
export async function probeServer(
  options: SmtpOptions,
  { limitMs, message }: { readonly limitMs: number; readonly message?: SmtpMessage },
): Promise<Probe> {
  const settings = settle(options);
  const limit = AbortSignal.timeout(limitMs);
  const watch = startWatch(settings.clock.monotonicMs);
  const session = await openSession(settings, limit, watch.begin);
  if ("kind" in session) {
    const failure = inTime(session, limit, limitMs);
    return { failure, steps: watch.end(failure.phase, settings, false), server: null };
  }
  const { pipelining, authMethods } = session.capabilities;
  const server = { isSecure: session.isSecure, pipelining, authMethods };
  if (message) watch.begin("message");
  const outcome = await converse(session, settings, message, limit);
  const failure = outcome && outcome.kind !== "accepted" ? inTime(outcome, limit, limitMs) : null;
  return { failure, steps: watch.end(failure?.phase ?? null, settings, session.isSecure), server };
}

/** What became of the message, with QUIT left to travel by itself. */
function converse(
  session: Session,
  settings: Settings,
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

function startWatch(monotonicMs: () => number) {
  const begun: { phase: Step; atMs: number }[] = [];
  return {
    begin: (phase: Step) => void begun.push({ phase, atMs: monotonicMs() }),
    /** Without what there was nothing to do for. */
    end(failedAt: Phase | null, settings: Settings, isSecure: boolean): Probe["steps"] {
      const endMs = monotonicMs();
      const isIdle = (phase: Step) =>
        phase !== failedAt &&
        ((phase === "auth" && !settings.credentials) ||
          (phase === "starttls" && (settings.tls === "implicit" || settings.tls === "never" || !isSecure)));
      return begun
        .map(({ phase, atMs }, at) => ({ phase, durationMs: (begun[at + 1]?.atMs ?? endMs) - atMs }))
        .filter(({ phase }) => !isIdle(phase));
    },
  };
}
