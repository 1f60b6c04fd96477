/** What all notices have in common. */
import type { AccountRow, UserRow } from "../accounts/accounts.ts";
import type { EventRow } from "../events/events.ts";
import type { Letter } from "./layout.ts";
import type { NoticeKind } from "./store.ts";

export type Notice = {
  readonly kind: NoticeKind;
  readonly to: readonly UserRow[];
  readonly letter: Letter;
};
export type About = { readonly account: AccountRow; readonly event: EventRow; readonly baseUrl: string };

export const SECURITY = "Notices about security are sent to you in any case.";

/** Writes a time in the account's zone. */
export function timeOf(account: AccountRow, { created_at: at }: EventRow): string {
  return timeIn(account, at);
}

export function timeIn({ time_zone: timeZone }: AccountRow, at: Date): string {
  return new Intl.DateTimeFormat("en-GB", {
    dateStyle: "long",
    timeStyle: "long",
    timeZone,
  }).format(at);
}
