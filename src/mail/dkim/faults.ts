/** A signing fault says why a message isn't signed. */

export type SigningFault = {
  readonly ok: false;
  readonly reason: SigningFaultReason;
  /** Says what is wrong with the message, and quotes nothing of it. */
  readonly detail: string;
};

export type SigningFaultReason = keyof typeof signingFaults;

const signingFaults = {
  no_separator: "No empty line ends the header section, so the message may have been cut off there.",
  bare_line_break:
    "A CR or an LF stands alone. Servers on the way mend that each in its own manner, which breaks the signature.",
  control_character: "There is a control character in the header section.",
  malformed_field: "A line of the header section is neither a field nor the continuation of one.",
  no_from: "There is no From field, which RFC 6376 §5.4 wants signed.",
  several_from: "There is more than one From field, so what a reader shows may not be what was signed.",
} as const;

export function signingFault(reason: SigningFaultReason): SigningFault {
  return { ok: false, reason, detail: signingFaults[reason] };
}
