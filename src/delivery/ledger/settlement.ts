/** A settlement is what is written into the ledger after an attempt to send a message. */
export type BounceKind = "hard" | "soft" | "block";

/** A settlement is written into the ledger after an attempt. `ready` leaves the row as if the attempt had not been made. */
export type Settlement = {
  readonly state: "ready" | "sent" | "deferred" | "failed" | "unknown" | "skipped";
  readonly why: string | null;
  readonly bounce: BounceKind | null;
  readonly code: number | null;
  readonly reply: string | null;
  readonly dueAt: Date | null;
};
