/** The ways in which a relay misbehaves, and how each recipient must end, by the last digit of the person's number. */
import type { Rule } from "../test/support/sink/sink.ts";
import type { SenderConfig } from "./sender-process.ts";

export type Case = {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly onAmbiguous?: "hold";
  /** The number of lines of the message, where it must be larger than one write. */
  readonly lines?: number;
  readonly sender?: Partial<SenderConfig>;
  /** The digits of the people who end in this state; all others get the mail once. */
  readonly failed?: string;
  readonly suppressed?: string;
  readonly unknown?: string;
  readonly doubled?: string;
  /**
   * True where the relay refuses us: the campaign is paused, nobody has failed, and all get the mail once it is fixed
   * and resumed.
   */
  readonly pauses?: boolean;
};

/**
 * Matches people whose number ends with one of these digits, but not all of them: where nobody gets anything, sending
 * stops.
 */
export function withDigit(digits: string): string {
  return `[1245][${digits}]@`;
}

const one = (digit: string, rule: Omit<Rule, "to">): Rule => ({ ...rule, to: withDigit(digit) });
const firstTime = (digit: string, rule: Omit<Rule, "to">): Rule => one(digit, { ...rule, timesEach: 1 });

const everyPhase = ["connect", "ehlo", "mail"] as const;
const early = (rule: Omit<Rule, "at">): Rule[] => everyPhase.map((at) => ({ at, times: 1, ...rule }));
const LATER = "451 4.3.0 try again later";
const CLOSING = "421 4.3.2 closing";
const NOT_YOU = "550 5.7.1 we don't want your mail";

export const cases: readonly Case[] = [
  { name: "421 at connect, EHLO and MAIL", rules: early({ reply: CLOSING }) },
  { name: "4xx at connect, EHLO and MAIL", rules: early({ reply: LATER }) },
  { name: "hanging up at connect, EHLO and MAIL", rules: early({ drop: "not taken" }) },
  {
    name: "421, 4xx and hanging up at RCPT, DATA and the dot",
    rules: [
      firstTime("0", { at: "rcpt", reply: CLOSING }),
      firstTime("1", { at: "rcpt", reply: LATER }),
      firstTime("2", { at: "rcpt", drop: "not taken" }),
      firstTime("3", { at: "data", reply: CLOSING }),
      firstTime("4", { at: "data", reply: LATER }),
      firstTime("5", { at: "data", drop: "not taken" }),
      firstTime("6", { at: "dot", reply: CLOSING }),
      firstTime("7", { at: "dot", reply: LATER }),
      firstTime("8", { at: "dot", drop: "not taken" }),
      firstTime("9", { at: "dot", drop: "taken" }),
    ],
    doubled: "9",
  },
  {
    name: "hanging up in the body and after the dot, with hold",
    rules: [
      firstTime("0", { at: "rcpt", drop: "not taken" }),
      firstTime("1", { at: "body", drop: "not taken" }),
      firstTime("2", { at: "dot", drop: "not taken" }),
      firstTime("3", { at: "dot", drop: "taken" }),
      firstTime("4", { at: "dot", reply: LATER }),
    ],
    onAmbiguous: "hold",
    // This is more than all buffers between the two hold, so that the dot is never sent.
    lines: 200_000,
    sender: { connections: 3 },
    unknown: "23",
  },
  {
    name: "5xx at RCPT, DATA and the dot",
    rules: [
      one("0", { at: "rcpt", reply: "550 5.1.1 no such user" }),
      one("1", { at: "rcpt", reply: "550 no such user" }),
      one("2", { at: "rcpt", reply: "552 5.2.2 mailbox full" }),
      one("3", { at: "data", reply: "554 5.6.0 not like this" }),
      one("4", { at: "dot", reply: "554 5.6.0 not like this" }),
      one("5", { at: "dot", reply: "550 5.1.1 no such user" }),
      one("6", { at: "dot", reply: NOT_YOU }),
    ],
    failed: "0123456",
    suppressed: "015",
  },
  {
    name: "refusing our password",
    rules: [{ at: "auth", reply: "535 5.7.8 wrong" }],
    sender: { credentials: { user: "us", password: "secret" } },
    pauses: true,
  },
  { name: "refusing our MAIL", rules: [{ at: "mail", reply: "550 5.7.1 not from here" }], pauses: true },
  { name: "refusing our MAIL without a reason", rules: [{ at: "mail", reply: "550 no" }], pauses: true },
  { name: "refusing us at RCPT", rules: [{ at: "rcpt", reply: NOT_YOU }], pauses: true },
  { name: "refusing us at the dot", rules: [{ at: "dot", reply: NOT_YOU }], pauses: true },
];
