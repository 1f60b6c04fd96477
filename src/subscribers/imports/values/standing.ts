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

/** These are in the order of their weight: a bounce or a complaint says more than that somebody was blocked. */
const REASONS = ["manual", "hard_bounce", "complaint"] as const;
type ToldReason = (typeof REASONS)[number];

/** Leaving the list and not being mailed at all are two facts: a person may have left and bounced, and neither is lost. */
export type StandingFacts = {
  /** The row asks for nothing. */
  readonly isLeftOut: boolean;
  /** The person left the list that is imported into. */
  readonly hasLeft: boolean;
  readonly suppressedFor: ToldReason | undefined;
};

/** A blocklisted person left the list too. */
export function factsOf(standing: Standing): StandingFacts {
  return {
    isLeftOut: standing === "skip",
    hasLeft: standing === "unsubscribed" || standing === "suppressed",
    suppressedFor: suppressionReasonOf(standing),
  };
}

/** Says whether the person is not to be mailed. */
export function isAgainstMail({ hasLeft, suppressedFor }: StandingFacts): boolean {
  return hasLeft || suppressedFor !== undefined;
}

/** Of several statements about one person each holds that stands against mail, so that nobody is mailed by the kinder of them. */
export function joinFacts(a: StandingFacts, b: StandingFacts): StandingFacts {
  const joined = {
    hasLeft: a.hasLeft || b.hasLeft,
    suppressedFor: REASONS.findLast((reason) => reason === a.suppressedFor || reason === b.suppressedFor),
  };
  const isLeftOut = a.isLeftOut || b.isLeftOut;
  return { ...joined, isLeftOut: isLeftOut && !isAgainstMail({ ...joined, isLeftOut }) };
}

/** Returns the reason of the suppression that this makes; undefined means none. */
export function suppressionReasonOf(standing: Standing): ToldReason | undefined {
  if (standing === "bounced") return "hard_bounce";
  if (standing === "complained") return "complaint";
  return standing === "suppressed" ? "manual" : undefined;
}
