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

/** `isSure`: it can only be meant for the recipient. */
type Reading = { readonly reason: BounceReason; readonly class: BounceClass; readonly isSure: boolean };

/** Some 20 µs for each refusal. */
export function readReply(reply: SessionReply): Reading {
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
  if (found !== "hard" && !mailboxReasons.has(reason)) return { reason, class: found, isSure: false };
  return doubt(reason, found, failure);
}

const MAX_TEXT_UNITS = 4096;
/** They speak of the recipient's mailbox. */
const mailboxReasons: ReadonlySet<BounceReason> = new Set([
  "mailbox_full",
  "mailbox_disabled",
  "recipient_filter",
  "message_over_limit",
  "suppressed",
]);
/** 5.4.1 is Exchange Online's for who isn't in its directory, whom it denies access. */
const ofRecipient = /^5\.(?:1\.\d{1,3}|4\.1)$/;
const ofMailbox = /^5\.2\.\d{1,3}$/;
const ofPolicy = /^5\.7\.\d{1,3}$/;
/** Postfix ends so with whom it won't relay for; the others name what only the sender has. */
const ofRelaying =
  /access denied|\byour (?:ip|host|domain|account|address|network|server|mail server|login|access)\b|\bip address\b|\b(?:sender|sending|reply-to)(?:'s)? (?:user|account|address|domain|mailbox)\b|\blog ?in\b|\bpassword\b|\bcredentials?\b|\brelay(?! recipient|=)|\b(?:white|allow)-? ?list|\blicen[cs]e|\bbilling\b|\bexternal recipients?\b|mailbox name not allowed/i;
/** The sender, its envelope, its account with the relay, its name in DNS. */
const ofSender = new RegExp(
  [
    "\\bsenders?\\b(?! (?:white|allow))|\\benvelope\\b|\\breturn[- ]?path\\b|\\bbounce address|\\b(?:mail )?from (?:address|domain)\\b|\\bin from\\b",
    "\\bunauthenticated\\b|\\bnot authenticated\\b|\\bauthenticat(?:e|ion)\\b|\\bsmtp account\\b|\\bsubscription\\b|\\btrial\\b|\\bactive plan\\b|\\bpayment\\b",
    "\\byour (?:\\w+ )?(?:account|(?:sending )?quota|plan)\\b|\\bfor (?:sending )?spam|\\bsending (?:limit|quota)|\\bsent too (?:much|many)|\\bhelo\\b|\\behlo\\b|\\breverse (?:dns|lookup)|\\bspf\\b|invalid dns mx",
    "absender|versender|\\bihr (?:konto|postfach|zugang)|spamversand|exp[eé]diteur|[eé]metteur|\\bvotre compte\\b|envoi de spam|remitente|\\bsu cuenta\\b|falta de pago|mittente|remetente",
    "afzender|nadawc|avs[aä]ndar|afsender|l[aä]hett[aä]j|odes[ií]latel|felad[oó]|expeditor|g[oö]nderen|отправител|відправник|αποστολ",
    "发件人|发信人|發件人|寄件人|寄件者|发送者|送信者|送信元|差出人|발신자|보낸 ?사람|المرسل",
  ].join("|"),
  "iu",
);
/** So plainly the sender that no status says otherwise. */
const ofEnvelope = /\benvelope[- ](?:from|sender)\b/i;
const ofNullMx = /null ?mx/i;
/** RFC 5321's own words for 550, of which it says that they may be a matter of policy. */
const standardWords = /requested (?:mail )?action (?:not taken|aborted)[:,;]? mailbox unavailable/giu;
const namesMailbox =
  /mail ?box|in-?box|mail ?drop|maildir|recipient|\buser\b|that you tried to reach|e-?mail address|postfach|empf[aä]nger|bo[iî]te|destinat|buz[oó]n|casella|caixa|skrzynk|postbus|ящик|邮箱|信箱|郵箱|メールボックス|메일함|편지함/iu;
const unrouteable = /unroute?able/i;
const addresses = new RegExp(ADDRESS, "gu");

/** Words for an absent recipient fit a refusal of the sender as well, where there is no status that says which. */
function doubt(reason: BounceReason, found: BounceClass, failure: Failure): Reading {
  const status = failure.status ?? "";
  const isHard = found === "hard";
  const denied: Reading = { reason: "security_refused", class: "block", isSure: false };
  const said = failure.diagnostic.slice(0, MAX_TEXT_UNITS).replace(addresses, "");
  if (isHard && reason === "domain_takes_no_mail") {
    return status === "5.1.10" || ofNullMx.test(said) ? { reason, class: found, isSure: true } : denied;
  }
  if (ofEnvelope.test(said)) return { reason: "sender_rejected", class: "block", isSure: false };
  if (ofRecipient.test(status)) return { reason, class: found, isSure: true };
  if (isHard && ofRelaying.test(said)) return denied;
  if (ofSender.test(said) || ofRelaying.test(said)) {
    return { reason: "sender_rejected", class: "block", isSure: false };
  }
  const rest = said.replace(standardWords, "");
  if (isHard && rest !== said) return readStandardWords(reason, { ...failure, diagnostic: rest });
  if (ofPolicy.test(status)) return { reason, class: found, isSure: false };
  if (isHard) return { reason, class: found, isSure: reason !== "domain_unknown" && !unrouteable.test(said) };
  return { reason, class: found, isSure: ofMailbox.test(status) || namesMailbox.test(said) };
}

/** Hard only for what is said besides: the words alone may be about the mailbox, or about us. */
function readStandardWords(reason: BounceReason, rest: Failure): Reading {
  if (ofPolicy.test(rest.status ?? "")) return { reason: "policy_refused", class: "block", isSure: false };
  const besides = findReason(rest);
  const isUnknown = besides === "user_unknown" || besides === "address_moved";
  if (isUnknown) return { reason: besides, class: classOf(besides, rest, false), isSure: true };
  return { reason: reason === "user_unknown" ? "mailbox_disabled" : reason, class: "soft", isSure: false };
}
