/** What the address of one endpoint's page holds: which deliveries are shown, and which of them is opened. */
import type { WebhookDelivery } from "../../api/openapi.ts";

type Status = WebhookDelivery["status"];
export const STATUSES: readonly Status[] = ["delivered", "waiting", "failed"];

export type DeliverySearch = {
  readonly status?: Status | undefined;
  readonly type?: string | undefined;
  readonly cursor?: string | undefined;
  readonly delivery?: string | undefined;
};

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

export function readDeliverySearch(search: Record<string, unknown>): DeliverySearch {
  return {
    status: STATUSES.find((one) => one === search["status"]),
    type: textOf(search["type"]),
    cursor: textOf(search["cursor"]),
    delivery: textOf(search["delivery"]),
  };
}
