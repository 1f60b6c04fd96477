/**
 * Reads what a server says to us in session. The words are read as in a report, but our own relay says them: there "we take
 * no mail for that domain" means that it won't relay for us, and a wrong guess would be repeated for a whole list.
 */
import { classOf, findReason } from "./reasons.ts";
import { ADDRESS, findStatus } from "./replies.ts";
import type { BounceClass, BounceReason, Failure, SmtpStage } from "./vocabulary.ts";

export type SessionReply = {
  readonly stage: SmtpStage;
  readonly code: number | null;
  readonly status: string | null;
  /** The reply as it came, with its code and status. */
  readonly text: string;
};

/** `isSure` says that the reply can only be meant for the recipient. */
type ReplyMeaning = { readonly reason: BounceReason; readonly class: BounceClass; readonly isSure: boolean };

/** This takes some 50 µs for each refusal. */
export function readReply(reply: SessionReply): ReplyMeaning {
  const { stage, code, text } = reply;
  const failure: Failure = {
    diagnostic: text,
    note: "",
    context: "",
    // Some servers give the status only at the end of the line: (#5.1.1).
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
/** These reasons speak of the recipient's mailbox. */
const mailboxReasons: ReadonlySet<BounceReason> = new Set([
  "mailbox_full",
  "mailbox_disabled",
  "recipient_filter",
  "message_over_limit",
  "suppressed",
]);
/** Exchange Online uses 5.4.1, with "access denied", for recipients that aren't in its directory. */
const ofRecipient = /^5\.(?:1\.\d{1,3}|4\.1)$/;
const ofMailbox = /^5\.2\.\d{1,3}$/;
const ofPolicy = /^5\.7\.\d{1,3}$/;
/** Postfix says "access denied" to those for whom it won't relay; the other phrases name what only the sender has. */
const ofRelaying =
  /access denied|\byour (?:ip|host|domain|account|address|network|server|mail server|login|access)\b|\bip address\b|\b(?:sender|sending|reply-to)(?:'s)? (?:user|account|address|domain|mailbox)\b|\blog ?in\b|\bpassword\b|\bcredentials?\b|\brelay(?! recipient|=)|\b(?:white|allow)-? ?list|\blicen[cs]e|\bbilling\b|\bexternal recipients?\b|mailbox name not allowed/i;
/** These speak of the sender, its envelope, its account with the relay, or its name in DNS. */
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
/** These speak of the sender so plainly that no status can say otherwise. */
const ofEnvelope = /\benvelope[- ](?:from|sender)\b/i;
const ofNullMx = /null ?mx/i;
/** These are RFC 5321's own words for 550, of which it says that they may be a matter of policy. */
const standardWords = /requested (?:mail )?action (?:not taken|aborted)[:,;]? mailbox unavailable/giu;
const namesMailbox =
  /mail ?box|in-?box|mail ?drop|maildir|recipient|\buser\b|that you tried to reach|e-?mail address|postfach|empf[aä]nger|bo[iî]te|destinat|buz[oó]n|casella|caixa|skrzynk|postbus|ящик|邮箱|信箱|郵箱|メールボックス|메일함|편지함/iu;
const unrouteable = /unroute?able/i;
const addresses = new RegExp(ADDRESS, "gu");

/** Words for an absent recipient also fit a refusal of the sender, where no status says which is meant. */
function doubt(reason: BounceReason, found: BounceClass, failure: Failure): ReplyMeaning {
  const status = failure.status ?? "";
  const isHard = found === "hard";
  const denied: ReplyMeaning = { reason: "security_refused", class: "block", isSure: false };
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

/**
 * The failure is hard only if something else in the text says so: the words alone may be about the mailbox, or about us.
 */
function readStandardWords(reason: BounceReason, rest: Failure): ReplyMeaning {
  if (ofPolicy.test(rest.status ?? "")) return { reason: "policy_refused", class: "block", isSure: false };
  const besides = findReason(rest);
  const isUnknown = besides === "user_unknown" || besides === "address_moved";
  if (isUnknown) return { reason: besides, class: classOf(besides, rest, false), isSure: true };
  return { reason: reason === "user_unknown" ? "mailbox_disabled" : reason, class: "soft", isSure: false };
}
