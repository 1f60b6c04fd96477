/** Says of a message where it goes, and from where: by which transport, to which provider, and from which domain in From. */
import { OTHER_PROVIDER, type ProviderDirectory } from "../../recipient-domains/recipient-domains.ts";
import { SANDBOX_TRANSPORT } from "../ids.ts";
import type { Destination } from "../providers/providers.ts";
import type { FlowName } from "../reputation/reputation.ts";
import type { Composed } from "../types.ts";

type Knowing = { readonly providers: Pick<ProviderDirectory, "of"> };
type Leaving = {
  readonly lease: { readonly accountId: string };
  readonly source: { readonly transport_id: string };
};

/** Where a message goes. What stays in the sandbox goes to nobody's mailbox. */
export function destinationOf(
  { providers }: Knowing,
  { lease: { accountId }, source: { transport_id: transportId } }: Leaving,
  domain: string,
): Destination {
  const provider = transportId === SANDBOX_TRANSPORT ? OTHER_PROVIDER : providers.of(domain);
  return { accountId, transportId, provider, domain };
}

/** Returns the flow that a message is counted in; undefined for what stays in the sandbox. */
export function flowOf(
  { providers }: Knowing,
  { source }: Pick<Leaving, "source">,
  composed: ComposedMail,
): FlowName | undefined {
  const transportId = source.transport_id;
  if (transportId === SANDBOX_TRANSPORT) return undefined;
  const provider = providers.of(domainOf(composed.to));
  return { transportId, fromDomain: fromDomainOf(composed), provider };
}

type ComposedMail = Extract<Composed, { ok: true }>;

export function fromDomainOf({ fromDomain, from }: ComposedMail): string {
  return fromDomain ?? domainOf(from);
}

export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1).toLowerCase();
}
