/** This transport hands messages to an SMTP server over a pool of connections. */
import { domainToASCII } from "node:url";
import { createSmtpPool, type SmtpOptions, type SmtpOutcome } from "../../mail/smtp/smtp.ts";
import type { Outcome, Transport } from "./transport.ts";

const DEFAULT_CONNECTIONS = 10;
/** An admission is good for 200 ms in all, of which this much may pass here. */
export const GO_AHEAD_TTL_MS = 20;

export function createSmtpTransport(options: SmtpOptions): Transport {
  const maxConnections = options.maxConnections ?? DEFAULT_CONNECTIONS;
  const pool = createSmtpPool({ ...options, maxConnections, goAheadTtlMs: GO_AHEAD_TTL_MS });
  return {
    connections: maxConnections,
    async send({ from, to, message }, { mayBegin, onDot }) {
      // The parts of a message are encoded, so anything that isn't ASCII stands in a header and needs SMTPUTF8 (RFC 6531
      // §3.4).
      const envelope = {
        from: toAsciiDomain(from),
        to: [toAsciiDomain(to)],
        hasUtf8Header: "if-8bit",
      } as const;
      const outcome = await pool.send({ envelope, body: message, mayBegin, onDot });
      return toOutcome(outcome);
    },
    cut: pool.cut,
    drain: pool.drain,
    close: pool.close,
  };
}

/** Returns the address with its domain in A-labels. */
export function toAsciiDomain(address: string): string {
  if (!/[^\0-\x7f]/.test(address)) return address;
  const at = address.lastIndexOf("@");
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}

function toOutcome({ kind, phase, code, enhanced, text }: SmtpOutcome): Outcome {
  let reply = code === null ? "" : String(code);
  for (const part of [enhanced, text]) if (part) reply += reply === "" ? part : ` ${part}`;
  switch (kind) {
    case "accepted":
      return { kind, code: code ?? 250, text: reply };
    case "deferred":
    case "rejected":
      return { kind, phase, code, enhanced, text: reply };
    case "ambiguous":
      return { kind, text: reply };
    case "unreachable":
      return { kind, phase, text: reply };
    case "withdrawn":
      return { kind: "withheld" };
  }
}
