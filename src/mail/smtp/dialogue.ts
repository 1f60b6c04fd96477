/** Exchanges one command and one reply at a time, which is how everything before the first message is said. */

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
  // No reply is awaited yet, so none may come, neither now nor between two commands.
  const close = () => channel.destroy();
  channel.listen({ reply: close, timedOut: close, lost: () => undefined, drained: () => undefined });
  return { channel, capabilities: noCapabilities, isSecure };
}

export type Question = {
  readonly phase: Phase;
  readonly timeoutMs: number;
  /** The command without CRLF; where it is absent, only a reply is awaited. */
  readonly line?: string;
  /** Stops reading with this reply: whatever follows it in the buffer was sent before TLS and must be ignored. */
  readonly isLastBeforeTls?: boolean;
};

/** Returns the server's reply, or the failure of the connection, which is closed then. */
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
      // A reply that nobody asked for would make every later one answer the wrong command.
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

/** Does the same as `ask`, but any reply other than 2yz is a failure of the connection. */
export async function demand(session: Session, question: Question): Promise<SmtpReply | Result> {
  const answer = await ask(session, question);
  if (isFailure(answer) || answer.code < 300) return answer;
  return judgeReply(question.phase, answer.code, answer.lines);
}
