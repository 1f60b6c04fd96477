/** Tells bounces that follow no standard from all other mail. One sign alone is never enough. */
import { decodeWords, findField, type ParsedField } from "../reading/headers.ts";
import { isAutoReply } from "./auto-replies.ts";
import { anyOf } from "./phrases/phrase-rule.ts";

/** Only a mail server calls itself by one of these names; people use those in `perhapsDaemon` too. */
const surelyDaemon = anyOf(
  "mailer[ ._-]?daemon",
  "mail[ ._-]?deliver",
  "delivery[ ._-]?(?:subsystem|system|status|service)",
  "system administrator",
  "content[ -]?filter",
  "internet mail delivery",
  "mdaemon",
  "interscan",
  "mailmarshal",
  "mimesweeper",
  "<>",
);
const perhapsDaemon = anyOf(
  "post[ ._-]?master",
  "mail[ ._-]?(?:system|admin|server)",
  "bounce",
  "auto-?mail",
  "-(?:admin|owner|request)@",
  "mailman|majordomo|listserv",
);

const surelyFailure = anyOf(
  "^undeliverable(?: mail| message|:)",
  "^undelivered mail",
  "^returned mail",
  "^failure notice",
  "^delivery (?:status )?notification",
  "^mail delivery (?:failed|failure|system)",
  "^mail system error",
);
const failureSubject = anyOf(
  "undeliver",
  "not? deliver",
  "non-?deliver",
  "deliver(?:y|ing)?\\b.{0,30}(?:fail|error|problem|status|notif|unsuccessful|delay|report|impossible|incomplete)",
  "(?:fail|error|problem|unable|could not|couldn't|cannot|unsuccessful).{0,30}(?:deliver|send|notice)",
  "failure noti",
  "return(?:ed)? (?:(?:e-?)?mail|message|to sender)",
  "mail (?:system )?error",
  "message you sent blocked",
  "are not (?:a )?member",
  "rejected (?:mail|message)",
  "mail (?:could not|failure|rejected|returned)",
  "user unknown",
  "host unknown",
  "(?:message|mail) (?:delayed|not sent)",
  "warning: (?:message|could not send)",
  "bounce(?:[d ]|\\b)",
  "nondeliverable",
  "unzustellbar",
  "nicht zugestellt",
  "zustellung",
  "fehlgeschlagen",
  "non remis",
  "échec",
  "non distribu",
  "no entregad",
  "devuelto",
  "fallo en la entrega",
  "mancato recapito",
  "não entregue",
  "falha na entrega",
  "devolvid",
  "недостав",
  "не доставлено",
  "не может быть доставлено",
  "возвращ",
  "niet bezorgd",
  "onbestelbaar",
  "niedostarcz",
  "olevererat",
  "配信",
  "送信(?:失敗|エラー|できません)",
  "エラー",
  "退信",
  "投递失败",
  "无法投递",
  "전송 ?실패",
  "teslim edileme",
  "لم يتم",
  "нельзя доставить",
  "nie można dostarczyć",
  "undelivrable",
  "remise",
);

const failureText = anyOf(
  "(?:could|can) ?not be delivered",
  "couldn't be delivered",
  "(?:not|n't) (?:able to |possible to )?(?:be )?deliver",
  "un(?:able to|successful in) deliver",
  "undeliver",
  "delivery fail",
  "invalid final delivery user",
  "delivery (?:to|of|for|has|attempt|status|error|problem|was).{0,80}(?:fail|delay|abort|error|problem|not)",
  "failed (?:permanently|to deliver|to send|recipient)",
  "(?:permanent|fatal|temporary|delivery) (?:fatal )?(?:error|failure|problem)s?",
  "had (?:permanent|delivery|transient)",
  "following (?:list of )?(?:address|recipient|destination)",
  "attempting to deliver",
  "mail (?:was|is|has been) (?:returned|rejected|not|refused)",
  "message (?:was|has been|is) (?:returned|rejected|not|blocked|delayed|refused|undeliver)",
  "did not reach",
  "has not yet been delivered",
  "not been delivered",
  "returned to sender",
  "error message below",
  "requested action not taken",
  "not a member of this (?:mailing )?list",
  "smtp (?:error|server|session)",
  "transcript of (?:the )?session",
  "remote host said",
  "(?:host|server|system) (?:said|replied|responded|returned|rejected)",
  "failure reasons?",
  "(?:mail|message) generated response",
  "unknown user",
  "user unknown",
  "unknown recipient",
  "mailbox (?:full|exceeds)",
  "не может быть доставлено",
  "送信できませんでした",
  "配信できません",
  "エラー",
  "nicht zugestellt",
  "n'a pas pu",
  "no se (?:pudo|ha podido)",
  "could not send",
  "delivery report",
);

/** These phrases speak only of mail: parcels and payments fail too, and may cost 500 euros. */
const smtpText = anyOf(
  "[45][0-5]\\d[ -]#?[45]\\.\\d{1,3}\\.\\d{1,3}",
  "(?:said|replied|responded|response|error|<<<|reason):? {0,3}[45][0-5]\\d\\b",
  "smtp (?:error|server|session|command)",
  "transcript of (?:the )?session",
  "(?:unknown user|user unknown)",
  "mail ?box (?:is )?full",
  "no valid recipients?",
  "not a member of this (?:mailing )?list",
  "error message below: {0,3}[45][0-5]\\d",
);

export type BounceSigns = { readonly isBounce: boolean; readonly isDelay: boolean };

/** A null return path alone proves nothing, since automatic replies have it too (RFC 3834 §3.3). */
export function findBounceSigns(
  fields: readonly ParsedField[],
  subject: string,
  report: string,
  isFromNobody: boolean,
): BounceSigns {
  const head = report.slice(0, 20_000).toLowerCase().replace(/\s+/g, " ");
  const rank = rankSender(fields);
  // A null return path proves nothing for an unknown sender, but it supports one that looks like a mail server.
  const from = rank === 2 && isAutomatic(fields) ? 3 : rank;
  const isAnswer = /^\s*(?:re|fwd?|aw|wg|tr|sv)\s*:/i.test(subject);
  const weight =
    from +
    (isAnswer ? 0 : rankSubject(subject.toLowerCase())) +
    (failureText.test(head) ? 1 : 0) +
    (smtpText.test(head) ? 1 : 0) +
    (findField(fields, "x-failed-recipients") !== undefined ? 2 : 0);
  const isPerson = from === 0 && (!(isFromNobody || isAutomatic(fields)) || isAutoReply(fields, subject));
  return { isBounce: weight >= 3 && !isPerson, isDelay: isDelayNotice(subject, head) };
}

/** Returns 2 for a mail server, 1 for a sender that may be one. */
function rankSender(fields: readonly ParsedField[]): number {
  const from = (findField(fields, "from") ?? "").toLowerCase();
  if (from === "" || surelyDaemon.test(decodeWords(from))) return 2;
  return perhapsDaemon.test(from) ? 1 : 0;
}

/** Returns 2 for subjects that mail servers have written for decades. */
function rankSubject(subject: string): number {
  if (surelyFailure.test(subject)) return 2;
  return failureSubject.test(subject) ? 1 : 0;
}

function isAutomatic(fields: readonly ParsedField[]): boolean {
  if (fields.some(({ name }) => name === "list-id" || name === "list-unsubscribe")) return false;
  const submitted = findField(fields, "auto-submitted") ?? "no";
  const isNull = /^(?:<>|<?mailer-daemon)/i.test(findField(fields, "return-path") ?? "");
  return isNull || !/^no\b/i.test(submitted);
}

const delayed = anyOf(
  "warning message only",
  "(?:has|have) not yet been delivered",
  "delivery (?:has been |is |was )?delayed",
  "has been delayed",
  "will (?:be retried|keep trying|continue to|retry)",
  "still (?:undelivered|being (?:tried|retried)|trying)",
  "delivery attempts will continue",
  "could not send message for past",
  "temporary problem delivering",
  "delivery incomplete",
  "enqueued and undeliverable for",
  "has not been delivered yet",
  "will continue trying",
  "doesn't need to be resent",
  "not need to resend",
);
const givenUp = anyOf(
  "giv(?:en|ing) up",
  "failed permanently",
  "permanent (?:error|failure|fatal)",
  "will be deleted",
  "will not be retried",
  "returned to sender",
  "could not be delivered",
  "delivery (?:has )?failed",
);

function isDelayNotice(subject: string, report: string): boolean {
  const head = report.slice(0, 4000);
  if (/\b(?:delay(?:ed)?|warning|still trying|delivery incomplete)\b/i.test(subject) && delayed.test(head))
    return true;
  return delayed.test(head) && !givenUp.test(head);
}
