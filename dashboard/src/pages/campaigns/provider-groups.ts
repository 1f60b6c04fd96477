/** Domains of one mailbox provider go together, since it is the provider that slows mail down or refuses it. */
import type { CampaignDomains } from "../../api/openapi.ts";

type DomainRow = CampaignDomains["data"][number];
export type DomainNumbers = Omit<DomainRow, "domain" | "provider">;

export type ProviderGroup = {
  /** The provider's, or the domain where it has none that is known. */
  readonly key: string;
  readonly name: string;
  readonly isProvider: boolean;
  readonly numbers: DomainNumbers;
  readonly domains: readonly DomainRow[];
};

/** Providers, and domains of none, the largest first. All domains have to be there: whoever asks for few of them finds the rest nowhere. */
export function groupsOf({ data, providers }: Pick<CampaignDomains, "data" | "providers">): ProviderGroup[] {
  const ofProviders = providers.map(({ provider, name, domains: _, ...numbers }) => ({
    key: provider,
    name,
    isProvider: true,
    numbers,
    domains: data.filter((row) => row.provider === provider),
  }));
  const alone = data
    .filter(({ provider }) => provider === null)
    .map((row) => ({ key: row.domain, name: row.domain, isProvider: false, numbers: row, domains: [row] }));
  return [...ofProviders, ...alone].toSorted(
    (one, other) => other.numbers.recipients - one.numbers.recipients,
  );
}
