/** The points of a message's way at which a machine may die, named for those who try it (docs/faults.md). */
export type FaultPoint =
  /** A batch was leased. */
  | "leased"
  /** The commit of a group of `inflight` has returned. */
  | "inflight"
  /** Right before the write that holds the final dot, and right after it was handed to the socket. */
  | "before_dot"
  | "after_dot"
  /** A reply to the message was read. */
  | "reply"
  /** Right before a group of outcomes is written. */
  | "before_outcome";

export type OnFaultPoint = (moment: FaultPoint) => void;
