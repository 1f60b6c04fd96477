/**
 * An address is unmailable when this transport can carry nothing to it, as is found before anything is sent. No server
 * refused the message, so it is no bounce.
 */
import { parseAddress } from "../../mail/addresses.ts";
import type { Settlement } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";

/** These statuses are the SMTP client's own, without a reply code, for what the server was never asked. */
const NEEDS_SMTPUTF8 = "5.6.7";
const NO_ENVELOPE = "5.6.0";

/** Only `to` decides, because it may be the sender's address that needs SMTPUTF8, or the body that can't be sent. */
export function isUnmailable(outcome: Outcome, to: string): boolean {
  if (outcome.kind !== "rejected" || outcome.code !== null) return false;
  const address = parseAddress(to);
  if (!address.ok) return outcome.enhanced === NO_ENVELOPE;
  return outcome.enhanced === NEEDS_SMTPUTF8 && address.isEai;
}

export function skippedAsInvalid(outcome: Outcome): Settlement {
  const reply = "text" in outcome ? outcome.text : null;
  return { state: "skipped", why: "invalid", bounce: null, code: null, reply, dueAt: null };
}
