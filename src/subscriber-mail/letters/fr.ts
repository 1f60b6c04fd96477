import type { LetterWords } from "./words.ts";

export const fr: LetterWords = {
  lang: "fr",
  orOpen: "Ou ouvrez cette adresse :",
  thisSender: "cet expéditeur",
  confirmation: {
    subject: "Merci de confirmer : {list}",
    subjectNoList: "Merci de confirmer votre inscription",
    asked: "Quelqu’un, sans doute vous, a demandé à {sender} d’envoyer « {list} » à {address}.",
    askedNoList: "Quelqu’un, sans doute vous, a demandé à {sender} d’écrire à {address}.",
    confirm: "Si c’était vous, confirmez ici. Le lien est valable 30 jours.",
    button: "Confirmer mon inscription",
    ignore: "Si ce n’était pas vous, ne faites rien : sans confirmation, rien d’autre n’arrivera.",
  },
  welcome: {
    why: "Vous recevez ce message parce que vous avez confirmé votre inscription à « {list} ».",
    unsubscribe: "Se désinscrire",
  },
};
