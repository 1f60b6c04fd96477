/** Addresses that this transport can carry nothing to, found before anything was sent. Nobody refused us, so it is no bounce. */
import { parseAddress } from "../../mail/addresses.ts";
import type { Settlement } from "../ledger/ledger.ts";
import type { Outcome } from "../transports/transports.ts";

/** Our own words for what the server was never asked have no reply code. */
const NEEDS_SMTPUTF8 = "5.6.7";
const NO_ENVELOPE = "5.6.0";

/** `to` decides, because a sender's address may be what needs SMTPUTF8, and a body may be what can't be sent. */
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
