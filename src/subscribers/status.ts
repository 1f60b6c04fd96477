/**
 * This file says which status may follow which, for one subscriber. It is pure: the verbs ask it, and a test holds every
 * case against the contract.
 */

export const STATUSES = ["pending", "active", "unsubscribed", "bounced", "complained"] as const;
export type Status = (typeof STATUSES)[number];

export type Action = "confirm" | "unsubscribe" | "bounce" | "complain" | "resubscribe";

/** Returns what a suppression for this reason does to the status; undefined means nothing. */
export function actionOfSuppression(reason: string): Action | undefined {
  if (reason === "complaint") return "complain";
  return reason === "hard_bounce" || reason === "soft_bounces" ? "bounce" : undefined;
}

/** This is what the address of a new subscriber went through before. */
export type AddressHistory = {
  /** An address that is suppressed has the reason here. */
  readonly suppressedFor?: string | undefined;
  readonly isOptedOut: boolean;
};

/**
 * Returns the status of a new subscriber. The address's history outweighs the list's rules, so that adding it again
 * revives nobody.
 */
export function firstStatus({ suppressedFor, isOptedOut }: AddressHistory, doubleOptIn: boolean): Status {
  const action = suppressedFor && actionOfSuppression(suppressedFor);
  if (action === "complain") return "complained";
  if (isOptedOut) return "unsubscribed";
  if (action === "bounce") return "bounced";
  return doubleOptIn ? "pending" : "active";
}

const GRAVITY: readonly Status[] = ["active", "pending", "bounced", "unsubscribed", "complained"];

/** A subscriber that moves to another address forgets neither what it was nor what it finds there. */
export function graverStatus(a: Status, b: Status): Status {
  return GRAVITY.indexOf(a) > GRAVITY.indexOf(b) ? a : b;
}

export type Circumstances = {
  /** The caller vouches for consent that was given elsewhere. */
  readonly attested?: boolean;
  /** The address is suppressed in the account. */
  readonly suppressed?: boolean;
};

export type Outcome =
  | { readonly kind: "unchanged" }
  | { readonly kind: "becomes"; readonly status: Status }
  /** A pending subscriber stays pending, and the confirmation mail goes out again. */
  | { readonly kind: "mail_again" }
  | { readonly kind: "refused"; readonly why: string };

const unchanged: Outcome = { kind: "unchanged" };
const becomes = (status: Status): Outcome => ({ kind: "becomes", status });
const refused = (why: string): Outcome => ({ kind: "refused", why });

export function nextStatus(status: Status, action: Action, circumstances: Circumstances = {}): Outcome {
  switch (action) {
    case "confirm":
      return status === "active" ? unchanged : becomes("active");
    case "unsubscribe":
      return status === "unsubscribed" || status === "complained" ? unchanged : becomes("unsubscribed");
    case "bounce":
      return status === "pending" || status === "active" ? becomes("bounced") : unchanged;
    case "complain":
      return status === "complained" ? unchanged : becomes("complained");
    case "resubscribe":
      return resubscribe(status, circumstances);
  }
}

function resubscribe(status: Status, { attested, suppressed }: Circumstances): Outcome {
  switch (status) {
    case "pending":
      return { kind: "mail_again" };
    case "active":
      return refused("the subscriber is active already");
    case "complained":
      return refused("the subscriber complained about our mail: only they themselves can come back");
    case "bounced":
      if (suppressed) return refused("the address bounced: remove its suppression first");
      return becomes(attested ? "active" : "pending");
    case "unsubscribed":
      return becomes(attested ? "active" : "pending");
  }
}
