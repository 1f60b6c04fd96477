/** This file knows what the headings of anybody's file mean, in several languages. `presets.ts` knows those of other services. */
import { eachPlain, PLAIN_NAMES } from "../../columns.ts";
import { plainHeading } from "../values/values.ts";

/** What a file is imported as. */
export const IMPORT_TARGETS = ["subscribers", "suppressions"] as const;
export type ImportTarget = (typeof IMPORT_TARGETS)[number];

const PROFILE = ["email", ...PLAIN_NAMES, "tags", "tracking_consent"] as const;
/** These say what became of the person elsewhere. Their cells must bear the heading out before it is believed. */
const HISTORY = [
  "status",
  "is_unsubscribed",
  "is_bounced",
  "is_complained",
  "is_suppressed",
  "opted_in_at",
  "opt_in_ip",
  "opt_in_source",
  "confirmed_at",
  "confirm_ip",
  "unsubscribed_at",
  "unsubscribe_reason",
  "full_name",
] as const;

/** A column of a file of subscribers may become one of these; `attributes` is JSON whose members are custom fields. */
export const TARGETS = [...PROFILE, ...HISTORY, "attributes"] as const;
export type Target = (typeof TARGETS)[number];
export const SUPPRESSION_TARGETS = ["email", "contact_id", "reason", "source", "created_at"] as const;
export type SuppressionTarget = (typeof SUPPRESSION_TARGETS)[number];

export function targetsOf(target: ImportTarget): readonly (Target | SuppressionTarget)[] {
  return target === "suppressions" ? SUPPRESSION_TARGETS : TARGETS;
}

const EMAIL = `email, e-mail, mail, email address, e-mail address, emailadresse, e-mail-adresse, mailadresse, adresse e-mail,
    adresse email, adresse mail, adresse électronique, courriel, adresse courriel, correo, correo electrónico,
    dirección de correo, dirección de correo electrónico, e-mailadres, mailadres, posta elettronica, indirizzo email,
    indirizzo e-mail, indirizzo mail, endereço de e-mail, endereço de email, correio eletrônico, correio eletrónico, epost,
    e-post, e-postadress, epostadresse, e-postadresse, mejladress, sähköposti, sähköpostiosoite, adres e-mail, adres email,
    e-posta, eposta, e-posta adresi, emailová adresa, почта, электронная почта, эл почта, email адрес, імейл,
    електронна пошта, メール, メールアドレス, eメール, 电子邮件, 电子邮箱, 邮箱, 郵箱, 電子郵件, 이메일, 이메일 주소, subscriber, subscriber email,
    contact email, work email, primary email, user email`;

const PROFILE_HEADINGS: Readonly<Record<(typeof PROFILE)[number], string>> = {
  email: EMAIL,
  ...eachPlain((name, { headings }) => `${name}, ${headings}`),
  tags: `tags, tag, labels, label, schlagworte, schlagwörter, étiquettes, etiquetas, etichette, 标签, タグ, метки`,
  tracking_consent: `tracking_consent, tracking consent, consent to tracking, tracking allowed, tracking opt-in,
    einwilligung tracking, consentement au suivi, consentimiento de seguimiento`,
};

const HISTORY_HEADINGS: Readonly<Record<(typeof HISTORY)[number], string>> = {
  status: `status, subscription status, subscriber status, email status, email marketing, email marketing status, contact status,
    abonnentenstatus, anmeldestatus, statut, estado, stato, статус, ステータス, 状态, 상태`,
  is_unsubscribed: `is_unsubscribed, unsubscribed, opted out, opt-out, optout, has opted out, email opt-out, do not email,
    abgemeldet, désabonné, désinscrit, dado de baja, disiscritto, uitgeschreven, отписан`,
  is_bounced: `is_bounced, bounced, hard bounced, hard bounce, bounce`,
  is_complained: `is_complained, complained, complaint, spam complaint, marked as spam, abuse`,
  is_suppressed: `is_suppressed, suppressed, blocklisted, blacklisted, email blocklisted, email blacklisted, blocked,
    do not contact, dnc, gesperrt, bloqué, bloqueado`,
  opted_in_at: `opted_in_at, opt-in time, optin time, opt-in date, optin date, opted in, opted in on, opt-in timestamp, subscribed,
    subscribed at, subscribed on, subscribe date, subscription date, date subscribed, sign-up date, signup date, signed up,
    signed up at, date added, added, added at, added time, created, created at, created on, date created, creation date,
    registered, registered at, registration date, anmeldedatum, angemeldet am, eintragungsdatum, date d'inscription,
    date d'abonnement, fecha de alta, fecha de suscripción, fecha de registro, data iscrizione, data di iscrizione,
    data de inscrição, inschrijfdatum, aanmelddatum, дата подписки`,
  opt_in_ip: `opt_in_ip, optin ip, signup ip, sign-up ip, subscribe ip, subscription ip, ip, ip address, ip-adresse, adresse ip,
    dirección ip, indirizzo ip, endereço ip, ip-adres`,
  opt_in_source: `opt_in_source, optin source, signup source, sign-up source, subscription source, source, referrer, quelle,
    herkunft, provenance, origine, origen, fuente, origem, fonte, bron`,
  confirmed_at: `confirmed_at, confirm time, confirmed, confirmed on, confirmation time, confirmation date, double opt-in date,
    double opt-in time, bestätigt am, confirmé le, confirmado el, confermato il`,
  confirm_ip: `confirm_ip, confirmation ip, confirmed ip, double opt-in ip`,
  unsubscribed_at: `unsubscribed_at, unsub time, unsubscribed on, unsubscribe time, unsubscribe date, date unsubscribed,
    opt-out date, opt-out time, opted out at, opted out on, abgemeldet am, abmeldedatum, désinscrit le, désabonné le,
    fecha de baja, data disiscrizione, uitschrijfdatum`,
  unsubscribe_reason: `unsubscribe_reason, unsub reason, reason for unsubscribing, opt-out reason, abmeldegrund`,
  full_name: `full name, name, fullname, subscriber name, contact name, person, vollständiger name, nom complet, nombre completo,
    nombre y apellidos, nome completo, volledige naam, naam, fullständigt namn, полное имя, 氏名`,
};

const SUPPRESSION_HEADINGS: Readonly<Record<SuppressionTarget, string>> = {
  email: EMAIL,
  contact_id: `contact_id`,
  reason: `reason, status, type, suppression reason, grund, raison, motif, motivo, cause, category`,
  source: `source, origin, quelle, origine, origen`,
  created_at: `created_at, created, date, time, added at, date added, suppressed at, blocked at, unsubscribed at, unsub time, clean time,
    datum, fecha, data`,
};

const profile = tableOf(PROFILE_HEADINGS);
const history = tableOf(HISTORY_HEADINGS);
const suppression = tableOf(SUPPRESSION_HEADINGS);

function tableOf<T extends string>(headings: Readonly<Record<T, string>>): ReadonlyMap<string, T> {
  return new Map(
    (Object.entries(headings) as [T, string][]).flatMap(([target, words]) =>
      words.split(",").map((word) => [plainHeading(word), target] as const),
    ),
  );
}

/** Returns what the heading means whatever is below it. */
export function meaningOf(heading: string): (typeof PROFILE)[number] | undefined {
  return profile.get(plainHeading(heading));
}

/** Returns what the heading may mean, if its cells agree. */
export function historyMeaningOf(heading: string): (typeof HISTORY)[number] | undefined {
  return history.get(plainHeading(heading));
}

export function suppressionMeaningOf(heading: string): SuppressionTarget | undefined {
  return suppression.get(plainHeading(heading));
}
