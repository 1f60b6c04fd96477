/** What an account is told when a mailbox provider is closed for it, and what it can do about that. */
import { closeAlert, type NewAlert, openAlert } from "../../alerts/alerts.ts";
import { MAILBOX_PROVIDERS } from "../../mail/mailbox-providers/mailbox-providers.ts";
import type { TxCtx } from "../../platform/context.ts";
import { toPublicId } from "../../platform/ids.ts";
import { INSTANCE_TRANSPORT } from "../ids.ts";
import type { Closing, ClosingKey, ClosingReason } from "./closing-store.ts";

/** A provider that asks for less now and then is no reason to tell anybody; one that does so again and again is. */
const REPEATED = 3;

export async function tellOfClosing(ctx: TxCtx, closing: Closing, alerts: boolean): Promise<void> {
  if (alerts || closing.times >= REPEATED) await openAlert(ctx, alertOf(closing));
}

export async function tellOfOpening(ctx: TxCtx, key: ClosingKey): Promise<void> {
  await closeAlert(ctx, "provider_closed", subjectOf(key));
}

function subjectOf({ provider, transportId, fromDomain }: ClosingKey): string {
  return [provider, publicTransport(transportId) ?? "instance", fromDomain].filter(Boolean).join(" ");
}

/** The instance's own server has no public id. */
function publicTransport(transportId: string): string | null {
  return transportId === INSTANCE_TRANSPORT ? null : toPublicId("trn", transportId);
}

export function nameOfProvider(provider: string): string {
  return MAILBOX_PROVIDERS.find(({ key }) => key === provider)?.name ?? provider;
}

function alertOf(closing: Closing): NewAlert {
  const { provider, transportId, fromDomain, until, reason, reply, times } = closing;
  const name = nameOfProvider(provider);
  const whose = fromDomain ? `mail from ${fromDomain}` : "mail that leaves by this server";
  const { found, remedy } = WORDS[reason];
  return {
    kind: "provider_closed",
    subject: subjectOf(closing),
    severity: reason === "rate" ? "warning" : "critical",
    stateKey: reason,
    title: `${name} takes no ${whose} for now`,
    detail: `${found} Nothing is sent to its mailboxes until ${until.toISOString()}; all mail for them waits, and nothing is lost.${
      reply ? ` It said: ${reply}` : ""
    }`,
    remedy: `${remedy}${opening(closing)}`,
    data: {
      provider,
      transport_id: publicTransport(transportId),
      from_domain: fromDomain || null,
      reason,
      reply,
      times,
      until: until.toISOString(),
    },
  };
}

/** The instance's server is everybody's, and no account can open a provider for it. What is a matter of rates opens by itself anyway. */
function opening({ reason, transportId }: Closing): string {
  if (reason === "rate" || reason === "reputation") return "";
  return transportId === INSTANCE_TRANSPORT
    ? " It opens by itself at the time above."
    : " Open it here when that is done.";
}

type Words = { readonly found: string; readonly remedy: string };

const WORDS: Readonly<Record<ClosingReason, Words>> = {
  rate: {
    found: "It asks for less mail, again and again.",
    remedy:
      "Send less at once: give the transport a rate, or warm it up. Write to those who open and click, and look at the complaints.",
  },
  reputation: {
    found: "It says that mail like this is unwanted by too many.",
    remedy:
      "Write only to people who asked for it, leave out those who haven't opened anything for months, and look at the complaints. Then send little for some days.",
  },
  blocked: {
    found: "It refuses all mail from the address of this server.",
    remedy:
      "Ask whoever runs the server to have its address taken off the provider's block list, and find out what was sent by it.",
  },
  authentication: {
    found: "It can't prove that the mail is from the domain in From.",
    remedy:
      "Look at the domain's page: SPF, DKIM and DMARC must all be right, and the domain in From must be the one that SPF or DKIM prove.",
  },
  reverse_dns: {
    found: "The name of the address from which the mail leaves isn't right.",
    remedy:
      "Whoever runs the server must give its address a name in the DNS (PTR) that leads back to the same address.",
  },
  tls: {
    found: "The mail didn't come over TLS.",
    remedy: "Whoever runs the server must let it use STARTTLS towards others.",
  },
  refusals: {
    found: "It refused twenty mails in a row, while other providers took theirs.",
    remedy: "Read what it said, and mend that. Mail for other providers goes on meanwhile.",
  },
};
