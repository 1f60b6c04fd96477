/**
 * A message that is being sent: what the server has answered so far, the caller's go-ahead, and the outcome. It gets one
 * outcome, and never while the caller is still being asked, so that no outcome overtakes the answer that it depends on.
 */
import { prepareBody } from "./body.ts";
import { addressOf, checkEnvelope, type Envelope, type Needs, needsOf } from "./envelope.ts";
import { failWith, type Phase, type RecipientResult, type Result, type SmtpOutcome } from "./outcome.ts";

export type SmtpMessage = {
  readonly envelope: Envelope;
  /**
   * Is called just before the write that holds the final dot: from then on a lost connection leaves the outcome ambiguous.
   */
  readonly onDot?: (() => void) | undefined;
  readonly signal?: AbortSignal;
} & (
  | { readonly body: Buffer; readonly mayBegin?: () => boolean | Promise<boolean> }
  /**
   * Either hook is called while the envelope is sent; the body waits for its answer. Undefined or false withdraws the
   * message. It is called again when its answer is too old (goAheadTtlMs), so that must be safe; what it throws, `send`
   * throws.
   */
  | { readonly beforeBody: () => GoAhead | Promise<GoAhead> }
);

export type GoAhead = Buffer | undefined;
type HookAnswer = GoAhead | boolean;

/** The step that the server's next reply answers. `idle` means that nothing of the message has been sent. */
type Step = "idle" | "rset" | "mail" | "rcpt" | "data" | "body" | "dot" | "lone-dot";

export type Transaction = {
  readonly message: SmtpMessage;
  readonly needs: Needs;
  /** The caller's hook that gives the go-ahead. */
  readonly hook: (() => HookAnswer | Promise<HookAnswer>) | undefined;
  readonly resolve: (outcome: SmtpOutcome) => void;
  readonly reject: (error: unknown) => void;
  step: Step;
  /** The body with its dots doubled, once the go-ahead is given; `sizeOctets` is its size before that. */
  bytes: Buffer | undefined;
  sizeOctets: number;
  sentOctets: number;
  answered: number;
  accepted: number;
  refusals: (Result | undefined)[] | undefined;
  goAhead: "unasked" | "asking" | "given" | "withheld";
  answeredAtMs: number;
  /** The connection that carries the message now sets this, to learn of the caller's answer. */
  onAnswered: ((tx: Transaction) => void) | undefined;
  /** The message met a dead connection once, and was given another. */
  isSecondTry: boolean;
  decided: SmtpOutcome | undefined;
  /** Holds what the caller's hook threw. */
  error: Thrown | undefined;
  isSettled: boolean;
};

type Thrown = { readonly thrown: unknown };

export function createTransaction(
  message: SmtpMessage,
  resolve: (outcome: SmtpOutcome) => void,
  reject: (error: unknown) => void,
): Transaction {
  const { envelope } = message;
  checkEnvelope(envelope);
  const known = "body" in message ? prepareBody(message.body) : undefined;
  const sizeOctets = "body" in message ? message.body.length : 0;
  return {
    message,
    needs: needsOf(envelope, known && { is8bit: known.is8bit, sizeOctets }),
    hook: "body" in message ? message.mayBegin : message.beforeBody,
    resolve,
    reject,
    step: "idle",
    bytes: known?.bytes,
    sizeOctets,
    sentOctets: 0,
    answered: 0,
    accepted: 0,
    refusals: undefined,
    goAhead: "body" in message && !message.mayBegin ? "given" : "unasked",
    answeredAtMs: Number.POSITIVE_INFINITY,
    onAnswered: undefined,
    isSecondTry: false,
    decided: undefined,
    error: undefined,
    isSettled: false,
  };
}

/**
 * Is called before the message is sent on a new connection: replies of an earlier one don't count, but the caller's answer
 * does.
 */
export function startAfresh(tx: Transaction): void {
  tx.step = "idle";
  tx.sentOctets = 0;
  tx.answered = 0;
  tx.accepted = 0;
  tx.refusals = undefined;
}

/**
 * The caller is asked at most once at a time, whatever connections come and go. An answer that isn't a promise is taken at
 * once, and `onAnswered` isn't called for it.
 */
export function askGoAhead(tx: Transaction, monotonicMs: () => number): void {
  if (!tx.hook || tx.goAhead === "asking") return;
  tx.goAhead = "asking";
  const answer = callHook(tx.hook);
  if (!(answer instanceof Promise)) {
    takeAnswer(tx, answer, monotonicMs());
    return;
  }
  const take = (answer: HookAnswer, thrown?: Thrown) => {
    takeAnswer(tx, answer, monotonicMs(), thrown);
    tx.onAnswered?.(tx);
  };
  answer.then(take, (thrown: unknown) => take(undefined, { thrown }));
}

function takeAnswer(tx: Transaction, answer: HookAnswer, nowMs: number, thrown?: Thrown): void {
  tx.error ??= thrown ?? takeBody(tx, answer);
  tx.goAhead = !answer || tx.error ? "withheld" : "given";
  tx.answeredAtMs = nowMs;
  if (!answer) decide(tx, failWith("withdrawn", phaseOf(tx), "withdrawn before its body"));
  settle(tx);
}

/** Treats a hook that throws at once like one that rejects. */
function callHook(hook: () => HookAnswer | Promise<HookAnswer>): HookAnswer | Promise<HookAnswer> {
  try {
    return hook();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** A body that can't be sent is the caller's bug, and is reported as if its hook had thrown. */
function takeBody(tx: Transaction, body: HookAnswer): Thrown | undefined {
  if (typeof body !== "object") return undefined;
  try {
    const { bytes, is8bit } = prepareBody(body);
    if (is8bit && !tx.needs.is8bit) {
      throw new TypeError("the message has octets above 127, and its envelope didn't say so (is8bit)");
    }
    tx.bytes = bytes;
    tx.sizeOctets = body.length;
    return undefined;
  } catch (thrown) {
    return { thrown };
  }
}

/** The first decision stands. It holds for every recipient that wasn't refused already. */
export function decide(tx: Transaction, result: Result): void {
  if (isDecided(tx)) return;
  const { to } = tx.message.envelope;
  const recipients: RecipientResult[] = [];
  for (let index = 0; index < to.length; index++) {
    const { kind, phase, code, enhanced, text } = tx.refusals?.[index] ?? result;
    recipients.push({ address: addressOf(to[index] as string), kind, phase, code, enhanced, text });
  }
  const { kind, phase, code, enhanced, text } = result;
  tx.decided = { kind, phase, code, enhanced, text, recipients };
  settle(tx);
}

/** What the caller's own code threw is thrown to the caller, unless the server has decided already. */
export function failTransaction(tx: Transaction, thrown: unknown): void {
  tx.error ??= { thrown };
  settle(tx);
}

/** No recipient is left: the message is deferred if any recipient was, else rejected. */
export function decideByRefusals(tx: Transaction): void {
  const refusals = tx.refusals ?? [];
  const first = refusals.find((refusal) => refusal?.kind === "deferred") ?? refusals[0];
  if (first) decide(tx, first);
}

/** A hook that threw after the server had decided changes nothing, since the server's decision is what happened. */
function settle(tx: Transaction): void {
  if (tx.isSettled || tx.goAhead === "asking" || !isDecided(tx)) return;
  tx.isSettled = true;
  if (tx.decided) tx.resolve(tx.decided);
  else tx.reject(tx.error?.thrown);
}

export function isDecided(tx: Transaction): boolean {
  return tx.decided !== undefined || tx.error !== undefined;
}

/** The caller withdrew the message, not the server, so what has been sent of it must not be ended with a dot. */
export function isTakenBack(tx: Transaction): boolean {
  return tx.decided ? tx.decided.kind === "withdrawn" : tx.error !== undefined;
}

export function phaseOf({ step }: Transaction): Phase {
  if (step === "idle") return "waiting";
  if (step === "rset") return "mail";
  return step === "lone-dot" ? "data" : step;
}
