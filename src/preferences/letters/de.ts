import type { Letters } from "./letter-texts.ts";

export const de: Letters = {
  data: {
    subject: "Ihre Daten bei {sender}",
    text: "Sie haben {sender} gefragt, was über Sie aufbewahrt wird.",
    button: "Ansehen, was über mich bekannt ist",
  },
  delete: {
    subject: "Ihre Daten bei {sender} löschen",
    text: "Sie haben {sender} gebeten, alles über Sie zu löschen. Es wird nichts gelöscht, bis Sie die Schaltfläche hinter diesem Link drücken.",
    button: "Weiter zum Löschen",
  },
  address: {
    subject: "Ihre Adresse bei {sender} ändern",
    text: "Sie haben {sender} gebeten, an eine andere Adresse zu schreiben.",
    button: "Meine Adresse ändern",
  },
  new_address: {
    subject: "Bestätigen Sie Ihre neue Adresse für {sender}",
    text: "Jemand, der Mails von {sender} an {from} bekommt, möchte sie an dieser Adresse bekommen. Es ändert sich nichts, bis Sie es bestätigen.",
    button: "Diese Adresse bestätigen",
  },
  address_changed: {
    subject: "Ihre Adresse bei {sender} wurde geändert",
    text: "Mails von {sender}, die an diese Adresse kamen, gehen jetzt an {to}. So wurde es über einen Link in diesem Postfach gewünscht und dort bestätigt. Wenn Sie das nicht waren, schreiben Sie bitte an {sender}.",
  },
  anHour: "Der Link gilt eine Stunde.",
  ignore: "Wenn Sie nicht darum gebeten haben, müssen Sie nichts tun.",
};
