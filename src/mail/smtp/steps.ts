/**
 * The state machine of one message, without a socket: (rset →) mail → rcpt … → data → body → dot. Each step gets one
 * reply but `body`, which awaits the caller's go-ahead. With PIPELINING the commands up to DATA leave in one write, so
 * all their replies are read, whatever they say.
 */
import type { Result } from "./outcome.ts";
import { decide, decideByRefusals, isDecided, isTakenBack, type Transaction } from "./transaction.ts";

export type Move =
  /** Sends the command of the message's new step, unless it has been sent already. */
  | "go-on"
  /** The server is ready for the body. */
  | "body"
  /** No recipient was accepted, and yet the server wants a body: a lone dot ends it without one (RFC 2920 §3.1). */
  | "lone-dot"
  | "finish"
  /** The message is finished, but the server still has a transaction open, so RSET comes before the next one. */
  | "finish-open"
  /** Replies may no longer match their commands, or the server is closing, so the connection ends. */
  | "give-up"
  /** None of the message was answered, so it may be sent on another connection. */
  | "give-back";

/** `read` judges the reply at the message's present step. */
export function takeReply(tx: Transaction, code: number, isPipelining: boolean, read: () => Result): Move {
  // RFC 5321 knows 3yz only after DATA (and AUTH), so replies no longer match our commands.
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
      // This came in the middle of the body: a refusal, or a reply to nothing. The dot hasn't been sent, so nothing was
      // accepted.
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
  // A recipient may have been accepted, so not even a lone dot may be sent.
  if (isTakenBack(tx)) return "give-up";
  tx.step = isDecided(tx) ? "lone-dot" : "body";
  return tx.step;
}

function giveUp(tx: Transaction, read: () => Result): Move {
  decide(tx, read());
  return "give-up";
}
