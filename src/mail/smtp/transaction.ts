/**
 * A message on its way: what the server has said to it so far, the caller's go-ahead, and how it ends. It ends once,
 * and never while the caller is still being asked, so that no outcome overtakes the answer that it depends on.
 */
import { isAscii } from "node:buffer";
import { prepareBody } from "./body.ts";
import { addressOf, checkEnvelope, type Envelope, type Needs, needsOf } from "./envelope.ts";
import { failWith, type Phase, type RecipientResult, type Result, type SmtpOutcome } from "./outcome.ts";

export type SmtpMessage = {
  readonly envelope: Envelope;
  /** Just before the write that holds the final dot: from here on a lost connection leaves the outcome ambiguous. */
  readonly onDot?: (() => void) | undefined;
  readonly signal?: AbortSignal;
} & (
  | { readonly body: Buffer }
  /**
   * Asked while the envelope travels; the body waits for the answer. Undefined withdraws the message. It is asked
   * again when its answer has grown old (goAheadTtlMs), so it must bear that; what it throws, `send` throws.
   */
  | { readonly beforeBody: () => GoAhead | Promise<GoAhead> }
);

export type GoAhead = Buffer | undefined;

/** What the server's next reply to this message will be an answer to. `idle`: it has been sent nothing. */
type Step = "idle" | "rset" | "mail" | "rcpt" | "data" | "body" | "dot" | "lone-dot";

export type Transaction = {
  readonly message: SmtpMessage;
  readonly needs: Needs;
  readonly resolve: (outcome: SmtpOutcome) => void;
  readonly reject: (error: unknown) => void;
  step: Step;
  /** As it goes on the wire, once the go-ahead is given, and its size before dots were doubled. */
  bytes: Buffer | undefined;
  sizeOctets: number;
  sentOctets: number;
  answered: number;
  accepted: number;
  refusals: (Result | undefined)[] | undefined;
  goAhead: "unasked" | "asking" | "given" | "withheld";
  answeredAtMs: number;
  /** The connection that it is on now wants to know. */
  onAnswered: ((tx: Transaction) => void) | undefined;
  /** It met a dead connection once, and was given another. */
  isSecondTry: boolean;
  decided: SmtpOutcome | undefined;
  /** What the caller's hook threw. */
  error: { readonly thrown: unknown } | undefined;
  isSettled: boolean;
};

export function createTransaction(
  message: SmtpMessage,
  resolve: (outcome: SmtpOutcome) => void,
  reject: (error: unknown) => void,
): Transaction {
  checkEnvelope(message.envelope);
  const needs = needsOf(message.envelope);
  const body = "body" in message ? message.body : undefined;
  return {
    message,
    needs: body ? { ...needs, sizeOctets: body.length, is8bit: !isAscii(body) } : needs,
    resolve,
    reject,
    step: "idle",
    bytes: body && prepareBody(body),
    sizeOctets: body?.length ?? 0,
    sentOctets: 0,
    answered: 0,
    accepted: 0,
    refusals: undefined,
    goAhead: body ? "given" : "unasked",
    answeredAtMs: Number.POSITIVE_INFINITY,
    onAnswered: undefined,
    isSecondTry: false,
    decided: undefined,
    error: undefined,
    isSettled: false,
  };
}

/** Before it is sent on a new connection: what an earlier one said counts no more, but the caller's answer does. */
export function startAfresh(tx: Transaction): void {
  tx.step = "idle";
  tx.sentOctets = 0;
  tx.answered = 0;
  tx.accepted = 0;
  tx.refusals = undefined;
}

/**
 * At most one question at a time is open, whatever connections come and go. An answer that comes at once is taken at
 * once, without a promise and without `onAnswered`.
 */
export function askGoAhead(tx: Transaction, monotonicMs: () => number): void {
  if (!("beforeBody" in tx.message) || tx.goAhead === "asking") return;
  tx.goAhead = "asking";
  const take = (body: GoAhead, thrown?: { readonly thrown: unknown }) => {
    tx.error ??= thrown ?? takeBody(tx, body);
    tx.goAhead = body === undefined || tx.error ? "withheld" : "given";
    tx.answeredAtMs = monotonicMs();
    if (body === undefined) decide(tx, failWith("withdrawn", phaseOf(tx), "withdrawn before its body"));
    settle(tx);
  };
  const takeLater = (body: GoAhead, thrown?: { readonly thrown: unknown }) => {
    take(body, thrown);
    tx.onAnswered?.(tx);
  };
  const answer = callHook(tx.message.beforeBody);
  if (answer instanceof Promise)
    answer.then(takeLater, (thrown: unknown) => takeLater(undefined, { thrown }));
  else take(answer);
}

/** So that a hook which throws at once is no different from one that rejects. */
function callHook(hook: () => GoAhead | Promise<GoAhead>): GoAhead | Promise<GoAhead> {
  try {
    return hook();
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** A body that can't be sent is the caller's bug, and comes back as what its hook threw. */
function takeBody(tx: Transaction, body: GoAhead): { readonly thrown: unknown } | undefined {
  if (body === undefined) return undefined;
  try {
    tx.bytes = prepareBody(body, tx.needs.is8bit);
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

/** What the caller's own code threw is for the caller, unless the server has decided already. */
export function failTransaction(tx: Transaction, thrown: unknown): void {
  tx.error ??= { thrown };
  settle(tx);
}

/** Nobody left to send to: deferred if anybody was, else rejected. */
export function decideByRefusals(tx: Transaction): void {
  const refusals = tx.refusals ?? [];
  const first = refusals.find((refusal) => refusal?.kind === "deferred") ?? refusals[0];
  if (first) decide(tx, first);
}

/** A hook that threw after the server had decided changes nothing: the server's word is what happened. */
function settle(tx: Transaction): void {
  if (tx.isSettled || tx.goAhead === "asking" || !isDecided(tx)) return;
  tx.isSettled = true;
  if (tx.decided) tx.resolve(tx.decided);
  else tx.reject(tx.error?.thrown);
}

export function isDecided(tx: Transaction): boolean {
  return tx.decided !== undefined || tx.error !== undefined;
}

/** By the caller, not by the server: what has been sent of it must not be ended with a dot. */
export function isTakenBack(tx: Transaction): boolean {
  return tx.decided ? tx.decided.kind === "withdrawn" : tx.error !== undefined;
}

export function phaseOf({ step }: Transaction): Phase {
  if (step === "idle") return "waiting";
  if (step === "rset") return "mail";
  return step === "lone-dot" ? "data" : step;
}
