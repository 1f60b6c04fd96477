/** This file says what a word in a status column means for the person in its row. It is pure. */
import { plainHeading } from "./plain-heading.ts";

/** `skip` leaves the row out: the person never agreed, or has not confirmed it, and imports send no confirmations. */
export const STANDINGS = ["active", "skip", "bounced", "unsubscribed", "suppressed", "complained"] as const;
export type Standing = (typeof STANDINGS)[number];

/** What services call it, in their own words and in several languages; compared without case, accents and blanks. */
const WORDS: Readonly<Record<Standing, string>> = {
  active: `active, subscribed, subscriber, confirmed, enabled, opted in, opt-in, valid, cold, engaged, soft bounce, soft bounced,
    soft bounces, aktiv, abonniert, angemeldet, bestätigt, abonné, abonnée, inscrit, inscrite, actif, confirmé, suscrito, activo,
    confirmado, iscritto, attivo, ativo, inscrito, actief, ingeschreven, geabonneerd, подписан, активен, 有効, 订阅`,
  skip: `non-subscribed, non-subscriber, never subscribed, not subscribed, transactional, unconfirmed, not confirmed, pending,
    awaiting confirmation, inactive, disabled, archived, deleted, unbestätigt, nicht bestätigt, inaktiv, non confirmé, en attente,
    inactif, sin confirmar, no confirmado, pendiente, inactivo, non confermato, inattivo, niet bevestigd, inactief`,
  bounced: `bounced, bounce, hard bounce, hard bounces, hard bounced, cleaned, invalid, undeliverable, undelivered, rebote,
    rebotado, unzustellbar, rejeté, rimbalzato, gebounced`,
  unsubscribed: `unsubscribed, unsubscribe, opted out, opt-out, opted_out, cancelled, canceled, removed, abgemeldet, ausgetragen,
    désabonné, désabonnée, désinscrit, désinscrite, dado de baja, baja, cancelado, disiscritto, descadastrado, cancelou,
    uitgeschreven, afgemeld, avregistrerad, отписан, отписался, 退订, 配信停止`,
  suppressed: `suppressed, blocklisted, blacklisted, blocked, banned, do not contact, do not email, dnc, manual, erased, gesperrt,
    bloqué, bloqueado, bloccato, geblokkeerd`,
  complained: `complained, complaint, complaints, spam, junk, abuse, spam complaint, marked as spam, reported as spam, beschwerde,
    plainte, queja, spamklacht`,
};

const usual = new Map(
  STANDINGS.flatMap((standing) =>
    WORDS[standing].split(",").map((word) => [plainHeading(word), standing] as const),
  ),
);

export type StatusValues = Readonly<Record<string, Standing>>;

/** Returns undefined for a word that nobody has explained. What the client says goes before what is usual. */
export function createStandingReader(said: StatusValues): (word: string) => Standing | undefined {
  const explained = new Map(Object.entries(said).map(([word, standing]) => [plainHeading(word), standing]));
  return (word) => explained.get(plainHeading(word)) ?? usual.get(plainHeading(word));
}

/** Of two statements about one person the graver holds, so that nobody is mailed by the kinder of them. */
export function graverStanding(a: Standing, b: Standing): Standing {
  return STANDINGS.indexOf(a) > STANDINGS.indexOf(b) ? a : b;
}

/** Says whether this is an opt-out of the list that is imported into. A blocklisted person left it too. */
export function isOptOut(standing: Standing): boolean {
  return standing === "unsubscribed" || standing === "suppressed";
}

/** Returns the reason of the suppression that this makes; undefined means none. */
export function suppressionReasonOf(standing: Standing): "hard_bounce" | "complaint" | "manual" | undefined {
  if (standing === "bounced") return "hard_bounce";
  if (standing === "complained") return "complaint";
  return standing === "suppressed" ? "manual" : undefined;
}
