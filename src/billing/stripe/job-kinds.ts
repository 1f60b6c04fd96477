/** The kinds of jobs that are added by other roles, or for accounts that are deleted; jobs.ts says how they are run. */
import { defineJob } from "../../platform/jobs/jobs.ts";

export type LookPayload = {
  account_id: string;
  /** Whether all newer invoices are looked at, too. */
  wide?: boolean;
};

/** Asks Stripe what it has of an account, and applies it. */
export const lookAtAccountKind = defineJob<LookPayload>({
  name: "look_at_stripe",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});

/** It comes before the account's id. */
export const LOOK_KEY = "look at stripe ";

/** Events that come together are answered by one look, which begins after the last of them. It takes no place of a wide one, which sees more. */
export function lookKey({ account_id: accountId, wide = false }: LookPayload): string {
  return `${LOOK_KEY}${accountId}${wide ? " widely" : ""}`;
}

/** Cancels at Stripe what deleted accounts paid for. */
export const endAtStripeKind = defineJob<Record<string, never>>({
  name: "end_at_stripe",
  run: async () => {
    throw new Error("this job is run by the jobs role alone");
  },
});
