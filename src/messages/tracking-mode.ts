/** Says how mail is tracked, and whose opens and clicks are recorded as theirs. */
import type { TrackingMode } from "../accounts/accounts.ts";
import type { SenderDefaults } from "./sender-defaults.ts";

export type { TrackingMode } from "../accounts/accounts.ts";

/** The list's choice goes before the account's; where nobody has chosen, everybody is tracked. */
export function trackingModeOf({ list, account }: Pick<SenderDefaults, "list" | "account">): TrackingMode {
  return list?.tracking ?? account?.tracking ?? "individual";
}

/** Tells whether hits are recorded as this person's. `consent` is null for who was never asked. Who refused never is. */
export function isTrackedInPerson(mode: TrackingMode, consent: boolean | null): boolean {
  if (mode === "individual") return consent !== false;
  return mode === "consented" && consent === true;
}
