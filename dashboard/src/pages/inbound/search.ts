/** What the addresses of the pages of what came back hold. */
import type { BounceStorm, InboundItemSummary } from "../../api/openapi.ts";

type Kind = NonNullable<InboundItemSummary["kind"]>;
const KINDS: readonly Kind[] = [
  "bounce",
  "delay",
  "delivered",
  "complaint",
  "unsubscribe",
  "auto_reply",
  "dmarc_report",
  "tls_report",
  "mail_test",
  "other",
];

/** A kind, or what no mail was found for. */
export type Shown = Kind | "unmatched";
export const SHOWN: readonly Shown[] = [...KINDS, "unmatched"];

export type InboundSearch = {
  readonly show?: Shown | undefined;
  readonly cursor?: string | undefined;
};

export function readInboundSearch({ show, cursor }: Record<string, unknown>): InboundSearch {
  return {
    show: SHOWN.find((one) => one === show),
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
  };
}

export type StormShown = BounceStorm["status"];
export const STORMS_SHOWN: readonly StormShown[] = ["open", "released", "dismissed"];

export type StormSearch = {
  readonly show?: StormShown | undefined;
  readonly cursor?: string | undefined;
};

export function readStormSearch({ show, cursor }: Record<string, unknown>): StormSearch {
  return {
    show: STORMS_SHOWN.find((one) => one === show),
    cursor: typeof cursor === "string" && cursor !== "" ? cursor : undefined,
  };
}
