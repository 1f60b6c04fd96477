/**
 * This file says when hard bounces are a storm: so many of a domain's mails bounce within an hour that its servers are to blame, and not
 * its addresses. It is pure.
 */

/** Fewer bounces than these are never a storm: they may be chance, and a person undoes them one by one. */
export const LEAST_HARD = 20;
/** So many times the usual share is a storm. */
const TIMES_USUAL = 5;
/** Where less was mailed before, nobody knows what is usual. */
const LEAST_USUAL_MAILS = 200;
/** Stands for what is usual where nobody knows. Above it, mailbox providers begin to doubt a sender. */
const ASSUMED_SHARE = 0.02;
/** The share of a well-kept list: five times next to nothing would be next to nothing. */
const LEAST_SHARE = 0.01;

export type DomainBounces = {
  /** How many mails to the domain bounced hard within the hour. */
  readonly hard: number;
  /** How many mails of the same sources went to the domain. */
  readonly mails: number;
  /** The same of all other sources in the last 30 days. */
  readonly usualHard: number;
  readonly usualMails: number;
};

export function usualShare({
  usualHard,
  usualMails,
}: Pick<DomainBounces, "usualHard" | "usualMails">): number {
  if (usualMails < LEAST_USUAL_MAILS) return ASSUMED_SHARE;
  return Math.max(usualHard / usualMails, LEAST_SHARE);
}

export function isStorm(bounces: DomainBounces): boolean {
  const { hard, mails } = bounces;
  return hard >= LEAST_HARD && hard / Math.max(mails, hard) >= TIMES_USUAL * usualShare(bounces);
}
