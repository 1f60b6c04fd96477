/** One command, one reply: all that is said before the first message. */

import type { Socket } from "node:net";
import { type Capabilities, noCapabilities } from "./capabilities.ts";
import { type Channel, createChannel } from "./channel.ts";
import type { SmtpSettings } from "./options.ts";
import { failWith, judgeReply, type Phase, type Result } from "./outcome.ts";

export type Session = {
  channel: Channel;
  capabilities: Capabilities;
  isSecure: boolean;
};

export type SmtpReply = { readonly code: number; readonly lines: readonly string[] };

export function createSession(socket: Socket, settings: SmtpSettings, isSecure: boolean): Session {
  const channel = createChannel(socket, settings.clock.monotonicMs);
  // Nothing is awaited yet, so nothing may come: neither now nor between two questions.
  const close = () => channel.destroy();
  channel.listen({ reply: close, timedOut: close, lost: () => undefined, drained: () => undefined });
  return { channel, capabilities: noCapabilities, isSecure };
}

export type Question = {
  readonly phase: Phase;
  readonly timeoutMs: number;
  /** Without CRLF; absent: only listen. */
  readonly line?: string;
  /** Stop reading with the reply: what follows it in the buffer came before TLS and counts for nothing. */
  readonly isLastBeforeTls?: boolean;
};

/** Either what was answered, or what became of the connection, which is closed then. */
export function ask(session: Session, question: Question): Promise<SmtpReply | Result> {
  const { channel } = session;
  const { phase } = question;
  if (!channel.isOpen()) {
    return Promise.resolve(
      failWith("unreachable", phase, "the server spoke out of turn, or closed the connection"),
    );
  }
  return new Promise((resolve) => {
    const answer = (outcome: SmtpReply | Result) => {
      channel.withoutLimit();
      // A reply that nobody asked for puts every later one in the wrong place.
      channel.listen({ reply: close, timedOut: close, lost: () => undefined, drained: () => undefined });
      resolve(outcome);
    };
    const close = () => channel.destroy();
    channel.listen({
      reply(code) {
        answer({ code, lines: channel.reader.lines() });
        if (question.isLastBeforeTls && code < 300) channel.release();
      },
      timedOut() {
        close();
        answer(failWith("unreachable", phase, "the server didn't answer in time"));
      },
      lost: ({ text }) => answer(failWith("unreachable", phase, text)),
      drained: () => undefined,
    });
    channel.within(question.timeoutMs);
    if (question.line !== undefined) channel.write(`${question.line}\r\n`, "utf8");
  });
}

export function isFailure(outcome: SmtpReply | Result): outcome is Result {
  return "kind" in outcome;
}

/** The same, as what became of the connection unless the answer is 2yz. */
export async function demand(session: Session, question: Question): Promise<SmtpReply | Result> {
  const answer = await ask(session, question);
  if (isFailure(answer) || answer.code < 300) return answer;
  return judgeReply(question.phase, answer.code, answer.lines);
}
