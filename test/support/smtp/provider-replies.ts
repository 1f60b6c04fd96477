/** What a server answers to RCPT that plays the large mailbox providers, for tests and for `npm run faults`. */

export type PlayedProviders = {
  /** Returns the reply to a recipient at this time, which is any count of milliseconds. */
  answer(to: string, nowMs: number): string;
  /** When each recipient was named, whatever was answered. */
  readonly asked: readonly { readonly to: string; readonly atMs: number; readonly reply: string }[];
};

const ACCEPTED = "250 2.1.5 ok";
export const GMAIL_RATE =
  "421 4.7.28 [192.0.2.1] unusual rate of unsolicited mail originating from your IP address - gsmtp";
export const YAHOO_RATE = "421 4.7.0 [TSS04] Messages temporarily deferred due to user complaints";
export const OUTLOOK_BLOCK = "550 5.7.1 part of their network is on our block list (S3150)";

/**
 * Gmail takes so many a minute and then says 4.7.28 for as long as more come; a minute is one of `minuteMs`. Yahoo takes so many in all, and
 * Outlook.com none where it is blocked. Everybody else takes everything.
 */
export function playProviders(options: {
  readonly gmailPerMinute: number;
  readonly minuteMs?: number;
  readonly yahooInAll?: number;
  readonly isOutlookBlocked?: boolean;
}): PlayedProviders {
  const { gmailPerMinute, minuteMs = 60_000, yahooInAll = Number.POSITIVE_INFINITY } = options;
  const asked: { to: string; atMs: number; reply: string }[] = [];
  let taken: number[] = [];
  let yahoo = 0;

  function gmail(nowMs: number): string {
    taken = taken.filter((ms) => nowMs - ms < minuteMs);
    if (taken.length >= gmailPerMinute) return GMAIL_RATE;
    taken.push(nowMs);
    return ACCEPTED;
  }

  function reply(to: string, nowMs: number): string {
    if (to.endsWith("@gmail.com")) return gmail(nowMs);
    if (to.endsWith("@yahoo.com")) return ++yahoo > yahooInAll ? YAHOO_RATE : ACCEPTED;
    if (to.endsWith("@outlook.com")) return options.isOutlookBlocked ? OUTLOOK_BLOCK : ACCEPTED;
    return ACCEPTED;
  }

  return {
    asked,
    answer(to, nowMs) {
      const said = reply(to, nowMs);
      asked.push({ to, atMs: nowMs, reply: said });
      return said;
    },
  };
}
