/** At these points in the sending of a message, the fault tests let a sender die (docs/faults.md). */
export type FaultPoint =
  /** A batch was leased. */
  | "leased"
  /** The transaction that marked a group of rows `inflight` has been committed. */
  | "inflight"
  /** The message's final dot is about to be written to the socket, or has just been written. */
  | "before_dot"
  | "after_dot"
  /** The server's reply to the message was read. */
  | "reply"
  /** A group of outcomes is about to be written to the ledger. */
  | "before_outcome";

export type OnFaultPoint = (point: FaultPoint) => void;
