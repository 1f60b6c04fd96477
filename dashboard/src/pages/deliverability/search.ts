/** What the addresses of the pages hold. */
import type { Alert } from "../../api/openapi.ts";

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
