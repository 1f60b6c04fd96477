/** Whether somebody agreed to be tracked: when that was answered, and the log of who answered what. */
import type { SubscriberRow } from "../columns.ts";
import type { ConsentInput } from "../schema.ts";
import type { NewConsent } from "../write-store.ts";

type Answered = Pick<SubscriberRow, "tracking_consent" | "tracking_consent_at">;

/** Dates an answer that differs from the one before; who is asked again and says the same keeps the first date. */
export function withAnswerDated<R extends Answered>(row: R, before: Answered | undefined, now: Date): R {
  if (row.tracking_consent === (before?.tracking_consent ?? null)) return row;
  return { ...row, tracking_consent_at: row.tracking_consent === null ? null : now };
}

/** Makes the entry of the log. Where no evidence came with the answer, it says at least by which way it came. */
export function trackingConsentEntry(
  { id, tracking_consent: answer }: Pick<SubscriberRow, "id" | "tracking_consent">,
  evidence: ConsentInput | undefined,
  source: string,
): NewConsent {
  return {
    subscriberId: id,
    action: answer === null ? "tracking_cleared" : answer ? "tracking_granted" : "tracking_withdrawn",
    attested: evidence?.attested ?? false,
    source: evidence?.source ?? source,
    wording: evidence?.wording ?? null,
    ip: evidence?.ip ?? null,
  };
}

/** What a file says goes in, but no file undoes a refusal: it may be older. Null where nothing changes. */
export function answerFromFile(known: boolean | null, given: boolean | null): boolean | null {
  return known === false || known === given ? null : given;
}
