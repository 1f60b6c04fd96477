/**
 * Knows the large mail providers that take mail by SMTP and tell what became of it by webhooks: which hosts are theirs, and
 * which id their 250 gives a message.
 */
export const PROVIDERS = ["ses", "postmark", "mailgun", "sendgrid", "brevo", "sparkpost"] as const;
export type Provider = (typeof PROVIDERS)[number];

const HOSTS: readonly (readonly [Provider, RegExp])[] = [
  ["ses", /^email-smtp(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/],
  ["postmark", /^smtp(?:-broadcasts)?\.postmarkapp\.com$/],
  ["mailgun", /^smtp\.(?:eu\.)?mailgun\.org$/],
  ["sendgrid", /^smtp(?:\.eu)?\.sendgrid\.net$/],
  ["brevo", /^smtp-relay\.(?:brevo|sendinblue)\.com$/],
  ["sparkpost", /^smtp\.(?:eu\.)?sparkpostmail\.com$|\.(?:e|m)smtp\.sparkpostelite\.com$/],
];

export function providerOfHost(host: string): Provider | undefined {
  const name = host.toLowerCase().replace(/\.$/, "");
  return HOSTS.find(([, pattern]) => pattern.test(name))?.[0];
}

/**
 * The others answer without an id, or with one that their webhooks don't repeat. SES: `250 Ok 0100…`; SendGrid: `250 Ok: queued
 * as …`; Brevo: `250 2.0.0 OK: queued as <…@smtp-relay.mailin.fr>`.
 */
const IDS_IN_REPLIES: Partial<Record<Provider, RegExp>> = {
  ses: /^250 (?:2\.\d\.\d )?ok:? ([\w-]{16,100})\s*$/i,
  sendgrid: /\bqueued as ([\w-]{10,100})\s*$/i,
  brevo: /\bqueued as <?([^\s<>]{10,200})>?\s*$/i,
};

/** Returns the id as `readProviderBody` finds it in the webhook about this message; null where the reply has none. */
export function idInReply(provider: Provider, reply: string): string | null {
  return IDS_IN_REPLIES[provider]?.exec(reply)?.[1] ?? null;
}
