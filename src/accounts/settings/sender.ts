/** Reads the sender's addresses, which an account, a list and a campaign each may state. */
import { parseAddress } from "../../mail/addresses.ts";
import type { Fault } from "../../platform/problems.ts";

type SenderAddresses = { from_email?: string | null | undefined; reply_to?: string | null | undefined };

/** Returns the given addresses as the parser normalised them, and what is wrong with the others. */
export function readSenderAddresses(input: SenderAddresses): {
  addresses: { from_email?: string; reply_to?: string };
  faults: Fault[];
} {
  const faults: Fault[] = [];
  const addresses: { from_email?: string; reply_to?: string } = {};
  for (const field of ["from_email", "reply_to"] as const) {
    const text = input[field];
    if (typeof text !== "string") continue;
    const parsed = parseAddress(text);
    if (parsed.ok) addresses[field] = parsed.address;
    else faults.push({ pointer: `/${field}`, code: parsed.code, detail: parsed.detail });
  }
  return { addresses, faults };
}
