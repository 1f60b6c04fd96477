/** What the addresses of the pages hold. */
import type { Alert, DmarcNumbers } from "../../api/openapi.ts";

export type Grouping = Exclude<DmarcNumbers["group_by"], "day">;
export const GROUPINGS: readonly Grouping[] = ["source", "reporter", "selector"];
export const PERIODS = [7, 30, 90] as const;

export type DmarcSearch = {
  readonly domain?: string | undefined;
  readonly by?: Grouping | undefined;
  readonly days?: (typeof PERIODS)[number] | undefined;
};

export function readDmarcSearch({ domain, by, days }: Record<string, unknown>): DmarcSearch {
  return {
    domain: typeof domain === "string" && domain.startsWith("dom_") ? domain : undefined,
    by: GROUPINGS.find((one) => one === by),
    days: PERIODS.find((one) => one === Number(days)),
  };
}

export const PROVIDER_PERIODS = [7, 30, 90, 395] as const;

export type ProviderSearch = {
  readonly domain?: string | undefined;
  readonly transport?: string | undefined;
  /** The provider that is shown closer. */
  readonly provider?: string | undefined;
  readonly days?: (typeof PROVIDER_PERIODS)[number] | undefined;
};

export function readProviderSearch(given: Record<string, unknown>): ProviderSearch {
  const { domain, transport, provider, days } = given;
  return {
    domain: typeof domain === "string" && domain !== "" ? domain : undefined,
    transport: typeof transport === "string" && transport.startsWith("trn_") ? transport : undefined,
    provider: typeof provider === "string" && provider !== "" ? provider : undefined,
    days: PROVIDER_PERIODS.find((one) => one === Number(days)),
  };
}

export type AlertShown = Alert["status"];
export const ALERTS_SHOWN: readonly AlertShown[] = ["open", "acknowledged", "closed"];

export type AlertSearch = {
  readonly show?: AlertShown | undefined;
  readonly cursor?: string | undefined;
};

export function readAlertSearch({ show, cursor }: Record<string, unknown>): AlertSearch {
  return {
    show: ALERTS_SHOWN.find((one) => one === show),
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
  };
}
