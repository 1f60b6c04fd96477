/** What people call these columns, in the languages that the usual exporters speak. Compared without case, accents and blanks. */
export const PLAIN_TARGETS = ["email", "first_name", "last_name", "tags", "locale", "time_zone"] as const;
export type PlainTarget = (typeof PLAIN_TARGETS)[number];

const HEADINGS: Readonly<Record<PlainTarget, string>> = {
  email: `email, e-mail, mail, email address, e-mail address, emailadresse, e-mail-adresse, mailadresse, adresse e-mail,
    adresse email, adresse mail, adresse électronique, courriel, adresse courriel, correo, correo electrónico,
    dirección de correo, dirección de correo electrónico, e-mailadres, mailadres, posta elettronica, indirizzo email,
    indirizzo e-mail, indirizzo mail, endereço de e-mail, endereço de email, correio eletrônico, correio eletrónico, epost,
    e-post, e-postadress, epostadresse, e-postadresse, mejladress, sähköposti, sähköpostiosoite, adres e-mail, adres email,
    e-posta, eposta, e-posta adresi, emailová adresa, почта, электронная почта, эл почта, email адрес, імейл,
    електронна пошта, メール, メールアドレス, eメール, 电子邮件, 电子邮箱, 邮箱, 郵箱, 電子郵件, 이메일, 이메일 주소, subscriber, subscriber email,
    contact email, work email, primary email, user email`,
  first_name: `first name, firstname, fname, given name, forename, christian name, vorname, prénom, nombre, nome, primeiro nome,
    voornaam, förnamn, fornavn, etunimi, imię, jméno, křestní jméno, ad, adı, имя, ім'я, 名, 名前, 이름, 名字, primer nombre`,
  last_name: `last name, lastname, lname, surname, family name, nachname, familienname, zuname, nom, nom de famille, apellido,
    apellidos, cognome, sobrenome, apelido, achternaam, efternamn, etternavn, efternavn, sukunimi, nazwisko, příjmení, soyad,
    soyadı, фамилия, прізвище, 姓, 苗字, 성, último nome`,
  tags: `tags, tag, labels, label, schlagworte, schlagwörter, étiquettes, etiquetas, etichette, 标签, タグ, метки`,
  locale: `locale, language, lang, preferred language, sprache, langue, idioma, lingua, taal, språk, sprog, kieli, język, jazyk,
    dil, язык, мова, 言語, 语言, 언어`,
  time_zone: `time zone, timezone, tz, time_zone, zeitzone, fuseau horaire, zona horaria, huso horario, fuso orario, fuso horário,
    tijdzone, tidszon, tidssone, часовой пояс, タイムゾーン, 时区`,
};

const meanings = new Map(
  (Object.entries(HEADINGS) as [PlainTarget, string][]).flatMap(([target, words]) =>
    words.split(",").map((word) => [plain(word), target] as const),
  ),
);

export function meaningOf(heading: string): PlainTarget | undefined {
  return meanings.get(plain(heading));
}

function plain(text: string): string {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}
