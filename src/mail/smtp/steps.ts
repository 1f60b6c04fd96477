/**
 * The state machine that the promise rests on, without a socket: what a reply means for the message it belongs to, and
 * what the connection does next.
 *
 *   (rset →) mail → rcpt … → data → body → dot, one reply for each but `body`, which awaits the caller's go-ahead
 *
 * With PIPELINING the commands up to DATA leave in one write, so all their replies are read, whatever they say.
 */
import type { Result } from "./outcome.ts";
import { decide, decideByRefusals, isDecided, isTakenBack, type Transaction } from "./transaction.ts";

export type Move =
  /** The command of the message's new step, unless it has left already. */
  | "go-on"
  /** The server is ready for the body. */
  | "body"
  /** Nobody was accepted, and yet the server wants a body: a lone dot ends it without one (RFC 2920 §3.1). */
  | "lone-dot"
  | "finish"
  /** As `finish`, but the server still has a transaction open: RSET comes before the next. */
  | "finish-open"
  /** The replies can't be trusted to be where they should be, or the server is going: the connection ends. */
  | "give-up"
  /** The message is as good as new, and may have another connection. */
  | "give-back";

/** `read` judges the reply at the message's present step. */
export function takeReply(tx: Transaction, code: number, isPipelining: boolean, read: () => Result): Move {
  // Never an answer in RFC 5321 but to DATA (and AUTH): we are out of step with the server.
  const isOutOfPlace = code >= 300 && code < 400 && tx.step !== "data";
  if (isOutOfPlace || code === 421) return giveUp(tx, read);
  switch (tx.step) {
    case "rset":
      if (code >= 400) return "give-back";
      tx.step = "mail";
      return "go-on";
    case "mail":
      return takeMailReply(tx, code, isPipelining, read);
    case "rcpt":
      return takeRcptReply(tx, code, isPipelining, read);
    case "data":
      return takeDataReply(tx, code, read);
    case "dot":
      decide(tx, read());
      return "finish";
    case "lone-dot":
      return "finish";
    default:
      // Amid the body: a refusal, or something out of turn. The dot hasn't left, so it was not accepted.
      return giveUp(tx, read);
  }
}

function takeMailReply(tx: Transaction, code: number, isPipelining: boolean, read: () => Result): Move {
  if (code >= 400) decide(tx, read());
  if (code >= 400 && !isPipelining) return "finish";
  tx.step = "rcpt";
  return "go-on";
}

function takeRcptReply(tx: Transaction, code: number, isPipelining: boolean, read: () => Result): Move {
  if (code < 300) tx.accepted++;
  else {
    tx.refusals ??= [];
    tx.refusals[tx.answered] = read();
  }
  tx.answered++;
  if (tx.answered < tx.message.envelope.to.length) return "go-on";
  if (tx.accepted === 0) decideByRefusals(tx);
  if (isDecided(tx) && !isPipelining) return "finish-open";
  tx.step = "data";
  return "go-on";
}

function takeDataReply(tx: Transaction, code: number, read: () => Result): Move {
  if (code < 300) return giveUp(tx, read);
  if (code >= 400) {
    decide(tx, read());
    return "finish-open";
  }
  if (isTakenBack(tx)) return "give-up"; // never a dot, not even a lone one: somebody may have been accepted
  tx.step = isDecided(tx) ? "lone-dot" : "body";
  return tx.step;
}

function giveUp(tx: Transaction, read: () => Result): Move {
  decide(tx, read());
  return "give-up";
}
