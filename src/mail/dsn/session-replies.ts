/**
 * What a server says to us in session. The words are read as in a report, but who says them is our own relay: there "we take
 * no mail for that domain" means that it won't relay for us, and a wrong guess would be made for a whole list.
 */
import { classOf, findReason } from "./reasons.ts";
import { ADDRESS, findStatus } from "./replies.ts";
import type { BounceClass, BounceReason, Failure, SmtpStage } from "./vocabulary.ts";

export type SessionReply = {
  readonly stage: SmtpStage;
  readonly code: number | null;
  readonly status: string | null;
  /** With its code and status, as it came. */
  readonly text: string;
};

/** Some 20 µs for each refusal. */
export function readReply(reply: SessionReply): {
  readonly reason: BounceReason;
  readonly class: BounceClass;
} {
  const { stage, code, text } = reply;
  const failure: Failure = {
    diagnostic: text,
    note: "",
    context: "",
    // Some give it at the end of the line only: (#5.1.1).
    status: findStatus(text) ?? reply.status,
    replyCode: code,
    stage,
    isLocalProgram: false,
    hosts: "",
    category: "",
    isDelayed: false,
  };
  const reason = findReason(failure);
  const found = classOf(reason, failure, false);
  if (found === "hard" && mayMeanUs(reason, failure)) return { reason: "security_refused", class: "block" };
  return { reason, class: found };
}

/** 5.4.1 is Exchange Online's for who isn't in its directory, whom it denies access. */
const ofRecipient = /^5\.(?:1\.\d{1,3}|4\.1)$/;
/** Postfix ends so with whom it won't relay for; the others name what only the sender has. */
const ofSender =
  /access denied|\byour (?:ip|host|domain|account|address|network|server|mail server|login|access)\b|\bip address\b|\b(?:sender|sending|reply-to)(?:'s)? (?:user|account|address|domain|mailbox)\b|\blog ?in\b|\bpassword\b|\bcredentials?\b|\brelay(?! recipient|=)|\b(?:white|allow)-? ?list|\blicen[cs]e|\bbilling\b|\bexternal recipients?\b|mailbox name not allowed/i;
const ofNullMx = /null ?mx/i;
const addresses = new RegExp(ADDRESS, "gu");

/** Words for an absent recipient that fit a refusal of the sender as well, and no status that says which. */
function mayMeanUs(reason: BounceReason, { status, diagnostic }: Failure): boolean {
  if (reason === "domain_takes_no_mail") return status !== "5.1.10" && !ofNullMx.test(diagnostic);
  return !ofRecipient.test(status ?? "") && ofSender.test(diagnostic.replace(addresses, ""));
}
