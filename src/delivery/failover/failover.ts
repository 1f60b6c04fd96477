/**
 * Failover: a transport that refuses us or can't be reached is put out, and what was to leave by it leaves by the next in the
 * order of its stream. A source has one transport at a time and moves as a whole, so that a retry leaves by the server that
 * deferred the mail, and a move costs no write for each row (docs/decisions/0091).
 */
export { bringForward } from "./bring-forward.ts";
export { leaveTransport, moveFromOut } from "./leave.ts";
export { probeOutTransport } from "./probe.ts";
export { createReach, type LeaveReason, type Reach } from "./reach.ts";
