import { eachPlain, PLAIN_NAMES } from "../../columns.ts";

/** A column of a file may become one of these. Headings are compared without case, accents and blanks. */
export const TARGETS = ["email", ...PLAIN_NAMES, "tags", "tracking_consent"] as const;
export type Target = (typeof TARGETS)[number];

const HEADINGS: Readonly<Record<Target, string>> = {
  email: `email, e-mail, mail, email address, e-mail address, emailadresse, e-mail-adresse, mailadresse, adresse e-mail,
    adresse email, adresse mail, adresse électronique, courriel, adresse courriel, correo, correo electrónico,
    dirección de correo, dirección de correo electrónico, e-mailadres, mailadres, posta elettronica, indirizzo email,
    indirizzo e-mail, indirizzo mail, endereço de e-mail, endereço de email, correio eletrônico, correio eletrónico, epost,
    e-post, e-postadress, epostadresse, e-postadresse, mejladress, sähköposti, sähköpostiosoite, adres e-mail, adres email,
    e-posta, eposta, e-posta adresi, emailová adresa, почта, электронная почта, эл почта, email адрес, імейл,
    електронна пошта, メール, メールアドレス, eメール, 电子邮件, 电子邮箱, 邮箱, 郵箱, 電子郵件, 이메일, 이메일 주소, subscriber, subscriber email,
    contact email, work email, primary email, user email`,
  ...eachPlain((name, { headings }) => `${name}, ${headings}`),
  tags: `tags, tag, labels, label, schlagworte, schlagwörter, étiquettes, etiquetas, etichette, 标签, タグ, метки`,
  tracking_consent: `tracking_consent, tracking consent, consent to tracking, tracking allowed, tracking opt-in,
    einwilligung tracking, consentement au suivi, consentimiento de seguimiento`,
};

const meanings = new Map(
  (Object.entries(HEADINGS) as [Target, string][]).flatMap(([target, words]) =>
    words.split(",").map((word) => [plain(word), target] as const),
  ),
);

export function meaningOf(heading: string): Target | undefined {
  return meanings.get(plain(heading));
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}
