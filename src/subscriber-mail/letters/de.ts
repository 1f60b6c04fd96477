import type { LetterWords } from "./words.ts";

export const de: LetterWords = {
  lang: "de",
  orOpen: "Oder öffnen Sie diese Adresse:",
  thisSender: "diesen Absender",
  confirmation: {
    subject: "Bitte bestätigen: {list}",
    subjectNoList: "Bitte bestätigen Sie Ihre Anmeldung",
    asked: "Jemand, vermutlich Sie selbst, hat {sender} gebeten, „{list}“ an {address} zu senden.",
    askedNoList: "Jemand, vermutlich Sie selbst, hat {sender} um Mails an {address} gebeten.",
    confirm: "Wenn Sie es waren, bestätigen Sie es hier. Der Link gilt 30 Tage.",
    button: "Anmeldung bestätigen",
    ignore: "Wenn Sie es nicht waren, tun Sie nichts: Ohne Bestätigung kommt nichts weiter.",
  },
  welcome: {
    why: "Sie erhalten diese Mail, weil Sie die Anmeldung für „{list}“ bestätigt haben.",
    unsubscribe: "Abmelden",
  },
};
