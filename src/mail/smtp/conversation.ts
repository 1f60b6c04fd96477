/**
 * Sends the messages of one connection, one after the other; `steps.ts` decides what is done to the socket here. A message
 * is ambiguous exactly while its step is `dot`, which is set where the final dot is written to the socket.
 */
import type { Loss } from "./channel.ts";
import type { Session } from "./dialogue.ts";
import { mailCommand, rcptCommand, refuseOnBehalf, refuseSize } from "./envelope.ts";
import type { SmtpSettings } from "./options.ts";
import { failWith, judgeReply, type Result } from "./outcome.ts";
import { type Move, takeReply } from "./steps.ts";
import {
  askGoAhead,
  decide,
  failTransaction,
  isDecided,
  isTakenBack,
  phaseOf,
  startAfresh,
  type Transaction,
} from "./transaction.ts";

export type ConversationEvents = {
  /** The connection is ready for another message. */
  free(conversation: Conversation): void;
  /** The connection takes no more messages. This is called once. */
  gone(conversation: Conversation): void;
  /** The message met a dead connection, and none of its commands was answered. */
  retry(tx: Transaction): void;
  /** Returns the next message, whose commands are sent together with the dot of the present one. */
  next(): Transaction | undefined;
  /** The server answered 421, or was lost in the middle of a message. */
  slowed(): void;
  accepted(): void;
};

export type Conversation = {
  begin(tx: Transaction): void;
  /** Withdraws the messages whose dot hasn't been sent, or only the given one. A reply to a dot is still awaited. */
  cut(only?: Transaction): void;
  /** Says QUIT when idle. It resolves when the connection is closed. */
  quit(): Promise<void>;
  /** Closes the connection at once, whatever is still awaited. */
  abandon(): void;
  messages(): number;
};

/** A larger body is written in blocks of this size, so that it can still be withdrawn before the dot. */
const BLOCK_OCTETS = 65_536;
/** These are buffers because the body is one: writing a string and a buffer together takes 1 µs more. */
const DOT = Buffer.from(".\r\n");
const LINE_END_AND_DOT = Buffer.from("\r\n.\r\n");
const SUSPECT_AFTER_MS = 1_000;
const CLOSED = "the server closed the connection";

export function createConversation(
  { channel, capabilities }: Session,
  settings: SmtpSettings,
  events: ConversationEvents,
): Conversation {
  const { timeouts, goAheadTtlMs } = settings;
  const { monotonicMs } = settings.clock;
  const { pipelining } = capabilities;
  const limits = {
    rset: timeouts.commandMs,
    mail: timeouts.mailMs,
    rcpt: timeouts.rcptMs,
    data: timeouts.dataMs,
    body: timeouts.blockMs,
    dot: timeouts.dotMs,
    "lone-dot": timeouts.loneDotMs,
    idle: settings.idleCloseMs,
  };
  let current: Transaction | undefined;
  /** The message whose commands were sent behind the dot of `current`. Its body waits until that dot is answered. */
  let ahead: Transaction | undefined;
  let messages = 0;
  let needsReset = false;
  let idleSinceMs = 0;
  /** The connection has carried messages or stood idle, so the server may have closed it before we sent anything. */
  let isSuspect = false;
  let state: "open" | "quitting" | "closed" = "open";
  let onClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });

  channel.listen({ reply: onReply, timedOut: onTimedOut, lost: onLost, drained: onDrained });
  becomeIdle();

  function begin(tx: Transaction) {
    current = tx;
    startAfresh(tx);
    const refusal = refuseOnBehalf(tx.needs, capabilities);
    if (refusal) {
      decide(tx, refusal);
      return finish();
    }
    isSuspect = messages > 0 || monotonicMs() - idleSinceMs > SUSPECT_AFTER_MS;
    // Part of a reply that nobody asked for makes the connection as useless as a closed one.
    if (!channel.isOpen() || !channel.reader.isEmpty()) return giveBack(tx, CLOSED);
    channel.write(openingOf(tx), encodingOf(tx));
    channel.within(limits[tx.step]);
    askOnce(tx);
    if (isTakenBack(tx)) close();
  }

  /** Returns the first commands of a message, and sets the step that the first reply belongs to. */
  function openingOf(tx: Transaction): string {
    messages++;
    tx.step = needsReset ? "rset" : "mail";
    if (!pipelining) return needsReset ? "RSET\r\n" : mailOf(tx);
    let commands = needsReset ? `RSET\r\n${mailOf(tx)}` : mailOf(tx);
    needsReset = false;
    for (const recipient of tx.message.envelope.to) commands += rcptCommand(recipient, capabilities);
    return `${commands}DATA\r\n`;
  }

  function mailOf({ message, needs }: Transaction): string {
    return mailCommand(message.envelope, needs, capabilities);
  }

  function onReply(code: number) {
    if (state === "quitting") return close();
    if (!current) return code === 421 ? slowDown() : close();
    // On an old connection a 421 may have been sent before the message, and so be no answer to it.
    if (code === 421 && mayTryAgain(current)) return giveBack(current, CLOSED);
    const tx = current;
    const isAccepted = tx.step === "dot" && code < 300;
    const read = () => judgeReply(phaseOf(tx), code, channel.reader.lines());
    follow(tx, takeReply(tx, code, pipelining, read));
    if (isAccepted) events.accepted();
  }

  function follow(tx: Transaction, move: Move) {
    switch (move) {
      case "go-on":
        channel.within(limits[tx.step]);
        return pipelining ? undefined : writeCommand(tx);
      case "body":
        return proceed(tx);
      case "lone-dot":
        channel.within(limits[tx.step]);
        return void channel.write(".\r\n");
      case "finish":
        return finish();
      case "finish-open":
        needsReset = true;
        return finish();
      case "give-up":
        return slowDown();
      case "give-back":
        return giveBack(tx, "the server refused RSET");
    }
  }

  function writeCommand(tx: Transaction) {
    needsReset = false;
    if (tx.step === "mail") channel.write(mailOf(tx), encodingOf(tx));
    if (tx.step === "data") channel.write("DATA\r\n");
    const recipient = tx.message.envelope.to[tx.answered];
    if (tx.step === "rcpt" && recipient) channel.write(rcptCommand(recipient, capabilities), encodingOf(tx));
  }

  /** A go-ahead that was given on an earlier connection is valid here too, as long as it isn't too old. */
  function askOnce(tx: Transaction) {
    tx.onAnswered = onAnswered;
    if (tx.goAhead === "unasked") askGoAhead(tx, monotonicMs);
  }

  /** The server is ready for the body, but the caller may not have answered yet, or its answer may be too old. */
  function proceed(tx: Transaction) {
    if (monotonicMs() - tx.answeredAtMs > goAheadTtlMs) askGoAhead(tx, monotonicMs);
    if (isTakenBack(tx)) return close();
    if (tx.goAhead === "given") return writeBody(tx);
    channel.withoutLimit();
  }

  function onAnswered(tx: Transaction) {
    if (tx !== current) return;
    if (isTakenBack(tx)) return close();
    if (tx.step === "body" && !isDecided(tx)) proceed(tx);
  }

  function writeBody(tx: Transaction) {
    const bytes = tx.bytes as Buffer;
    channel.within(limits.body);
    // Input that is here already can't be the reply to a dot that hasn't been sent. It is judged once its reply is
    // complete.
    if (!channel.reader.isEmpty()) return;
    if (!channel.isOpen()) return lose(tx, CLOSED);
    const refusal = refuseSize(tx.sizeOctets, capabilities);
    if (refusal) {
      decide(tx, refusal);
      return close();
    }
    while (bytes.length - tx.sentOctets > BLOCK_OCTETS) {
      const from = tx.sentOctets;
      tx.sentOctets += BLOCK_OCTETS;
      if (!channel.write(bytes.subarray(from, tx.sentOctets))) return;
    }
    writeDot(tx, bytes.subarray(tx.sentOctets));
  }

  function onDrained() {
    if (current?.step === "body" && current.sentOctets > 0 && !isDecided(current)) writeBody(current);
  }

  function writeDot(tx: Transaction, rest: Buffer) {
    try {
      tx.message.onDot?.();
    } catch (thrown) {
      failTransaction(tx, thrown);
      return close();
    }
    tx.step = "dot";
    channel.within(limits.dot);
    const end = rest[rest.length - 1] === 10 ? DOT : LINE_END_AND_DOT;
    ahead = takeNext();
    if (!ahead) return channel.writeTogether(rest, end);
    channel.writeTogether(rest, Buffer.concat([end, Buffer.from(openingOf(ahead), encodingOf(ahead))]));
    askOnce(ahead);
  }

  function takeNext(): Transaction | undefined {
    if (!settings.lookAhead || !pipelining || messages >= settings.maxMessagesPerConnection) return undefined;
    const tx = events.next();
    if (!tx) return undefined;
    startAfresh(tx);
    const refusal = refuseOnBehalf(tx.needs, capabilities);
    if (!refusal) return tx;
    decide(tx, refusal);
    return undefined;
  }

  /** The server has said all that it will say about `current`. */
  function finish() {
    current = ahead;
    ahead = undefined;
    isSuspect = true;
    if (current) {
      channel.within(limits.mail);
      if (isTakenBack(current)) close();
      return;
    }
    // The server said more than was asked, such as a 421 behind the 250; the next message must not take that for its own
    // reply.
    if (!channel.reader.isEmpty()) return close();
    becomeIdle();
    events.free(conversation);
  }

  function becomeIdle() {
    idleSinceMs = monotonicMs();
    channel.within(limits.idle);
  }

  function onTimedOut() {
    if (current) return lose(current, "the server didn't answer in time");
    if (state === "open") void quit();
    else close();
  }

  function onLost({ isMalformed, text }: Loss) {
    if (!current) return close();
    if (isMalformed) lose(current, text);
    else giveBack(current, text);
  }

  /**
   * Nothing of the message was answered, on a connection that had probably been closed before, so the server began no
   * message.
   */
  function mayTryAgain(tx: Transaction): boolean {
    const untouched = tx.step === "idle" || tx.step === "rset" || tx.step === "mail";
    return untouched && isSuspect && !tx.isSecondTry && !isDecided(tx);
  }

  function giveBack(tx: Transaction, text: string) {
    if (!mayTryAgain(tx)) return lose(tx, text);
    current = undefined;
    close();
    tryElsewhere(tx);
  }

  /** What a lost connection means for the message depends only on whether its dot has been sent. */
  function lose(tx: Transaction, text: string) {
    decide(tx, lossOf(tx, text));
    slowDown();
  }

  function slowDown() {
    events.slowed();
    close();
  }

  function close() {
    if (state === "closed") return;
    const wasOpen = state === "open";
    const [stranded, behind] = [current, ahead];
    state = "closed";
    current = undefined;
    ahead = undefined;
    channel.destroy();
    onClosed();
    if (wasOpen) events.gone(conversation);
    if (stranded) decide(stranded, lossOf(stranded, "the connection was given up"));
    if (!behind || isDecided(behind)) return;
    // The message was sent behind another's dot and got no reply of its own.
    if (behind.isSecondTry) return decide(behind, lossOf(behind, CLOSED));
    tryElsewhere(behind);
  }

  function tryElsewhere(tx: Transaction) {
    startAfresh(tx);
    tx.isSecondTry = true;
    events.retry(tx);
  }

  function cut(only?: Transaction) {
    for (const tx of [ahead, current]) {
      if (!tx || isDecided(tx) || tx.step === "dot" || (only && tx !== only)) continue;
      decide(tx, failWith("withdrawn", phaseOf(tx), "withdrawn before its final dot"));
      if (tx === current) close();
    }
  }

  function quit(): Promise<void> {
    if (state === "open") {
      state = "quitting";
      events.gone(conversation);
      channel.within(timeouts.quitMs);
      channel.write("QUIT\r\n");
    }
    return closed;
  }

  const conversation: Conversation = { begin, cut, quit, abandon: close, messages: () => messages };
  return conversation;
}

function lossOf(tx: Transaction, text: string): Result {
  return failWith(tx.step === "dot" ? "ambiguous" : "unreachable", phaseOf(tx), text);
}

/** Commands are ASCII, which latin1 writes fastest, unless an address isn't (RFC 6531 §3.1). */
function encodingOf({ needs }: Transaction): "latin1" | "utf8" {
  return needs.isUtf8 ? "utf8" : "latin1";
}
