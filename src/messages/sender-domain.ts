/** What is known of the domain in a message's sender: whether the account has proved it, and the host that its links lead over. */
import type { SenderFacts, SigningKeys } from "../domains/domains.ts";
import { parseAddress } from "../mail/addresses.ts";
import type { Ctx } from "../platform/context.ts";
import type { Message } from "./message.ts";
import type { Check } from "./schema.ts";
import { type SenderDefaults, senderOf } from "./sender-defaults.ts";

export type SenderDomain = SenderFacts & { readonly domain: string };

/** Returns undefined where the message has no sender yet. */
export async function readSenderDomain(
  { sql, accountId }: Ctx,
  { signing }: { readonly signing: Pick<SigningKeys, "readFacts"> },
  message: Pick<Message, "sender">,
  defaults: SenderDefaults,
): Promise<SenderDomain | undefined> {
  const { email } = senderOf(message, defaults);
  const parsed = email === null ? undefined : parseAddress(email);
  if (!parsed?.ok) return undefined;
  const domain = parsed.asciiDomain;
  return { domain, ...(await signing.readFacts(sql, accountId, domain)) };
}

/** A relay may sign by itself, so what an unproved domain means is for whoever runs the instance to say (UNVERIFIED_SENDERS). */
export type UnverifiedSenders = "warn" | "refuse";

/** Mail that goes into the sandbox, where nothing leaves, may be from anybody. */
export function checkSenderDomain(
  sender: Pick<SenderDomain, "domain" | "isProved"> | undefined,
  { isSandbox }: Pick<SenderDefaults, "isSandbox">,
  unverifiedSenders: UnverifiedSenders,
): Check[] {
  if (!sender || sender.isProved || isSandbox) return [];
  return [
    {
      code: UNVERIFIED_DOMAIN,
      severity: unverifiedSenders === "refuse" ? "error" : "warning",
      message: sayUnverified(sender.domain),
      remedy: PROVE_IT,
      place: null,
      count: 1,
    },
  ];
}

export const UNVERIFIED_DOMAIN = "unverified_domain";

export function sayUnverified(domain: string): string {
  return `Nothing shows that ${domain} is yours, so mail from it isn't signed here and may be taken for forged.`;
}

const PROVE_IT =
  "Add the domain under Domains and put its records into the DNS, or send from one that is verified.";
