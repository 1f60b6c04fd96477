import type { LocaleFile } from "./words.ts";

export const fr: LocaleFile = {
  lang: "fr",
  direction: "ltr",

  thisList: "cette liste",
  thisSender: "cet expéditeur",
  thisListFirst: "Cette liste",
  thisSenderFirst: "Cet expéditeur",
  noSubject: "(sans objet)",
  sentWith: "Envoyé avec Postrider",
  postrider: "Postrider",

  ask: {
    title: "Souhaitez-vous quitter {list} ?",
    goesTo: "Les envois arrivent à {address}. Un clic, et il n’y en aura plus.",
    oneClick: "Un clic, et il n’y aura plus d’envois.",
    button: "Se désabonner",
    also: "Quitter aussi celles-ci",
    reason: "Dire pourquoi",
    optional: "facultatif",
    reasons: {
      too_many: "Trop de messages",
      not_relevant: "Cela ne m’intéresse plus",
      never_asked: "Je ne me suis jamais inscrit(e)",
      other: "Autre chose",
    },
    comment: "Avec vos propres mots",
    commentHint: "500 caractères au plus, lus par {sender}.",
    orRather: "Ou plutôt",
    wholeList: "Plus rien de {list}",
    wholeListHint: "Quel que soit le sujet",
    wholeListButton: "Se désabonner de toute la liste",
    everything: "Plus rien du tout de {sender}",
    everythingHint: "Toutes les listes, y compris celles à venir",
    everythingButton: "Se désabonner de tout",
  },

  unsubscribed: {
    list: {
      title: "Vous êtes désabonné(e)",
      text: "{list} : plus rien n’arrivera à {address}.",
      textNoAddress: "{list} : plus rien ne vous arrivera.",
    },
    everything: {
      title: "Vous êtes désabonné(e) de tout",
      text: "{sender} n’écrira plus à {address}.",
      textNoAddress: "{sender} ne vous écrira plus.",
    },
    already: {
      title: "Vous êtes déjà désabonné(e)",
      text: "{list} : plus rien ne part vers {address}.",
      textNoAddress: "{list} : plus rien ne vous parvient.",
    },
    undone: {
      title: "Vous êtes de nouveau abonné(e)",
      text: "{list} arrive comme avant à {address}.",
      textNoAddress: "{list} arrive comme avant.",
    },
    nobody: {
      title: "Il n’y a rien à désabonner",
      text: "{sender} ne conserve aucun abonnement lié à ce lien : aucun autre message n’en viendra.",
    },
    list_deleted: {
      title: "Vous êtes désabonné(e)",
      text: "La liste d’où venait ce message n’existe plus. Nous avons noté que {address} n’en veut plus rien recevoir.",
      textNoAddress:
        "La liste d’où venait ce message n’existe plus. Nous avons noté que vous n’en voulez plus rien recevoir.",
    },
    done: "C’est fait, avec effet immédiat.",
    inTransit: "Un message déjà en route peut encore arriver.",
    undoLabel: "Une fausse manœuvre ?",
    undo: "Annuler",
    again: "Se désabonner à nouveau",
    subscribeAgain: "Se réabonner",
  },

  testMail: {
    title: "C’était un message d’essai",
    text: "Rien n’a été modifié : le lien d’un essai n’appartient à personne. Dans le message réellement envoyé, chacun a son propre lien.",
  },
  nothingToSee: {
    title: "Il n’y a rien à voir ici",
    text: "Ce lien se trouve dans le message pour les programmes qui suivent tous les liens. Rien n’a été modifié.",
  },
  notFound: {
    title: "Il n’y a rien ici",
    text: "Le lien est incomplet ou mal saisi. Copiez-le en entier depuis le message, ou cliquez dessus dans celui-ci.",
  },
  gone: {
    title: "Ceci n’est plus conservé",
    text: "La page à laquelle menait ce lien a été retirée.",
  },
  tooMany: {
    title: "Trop de demandes",
    text: "Votre réseau vient d’en envoyer beaucoup. Rien n’a été modifié. Cela fonctionnera de nouveau dans {wait}.",
    again: "Réessayer",
  },
  recorded: {
    title: "Votre souhait est noté",
    text: "Nous ne pouvons pas consulter votre abonnement en ce moment. Votre demande est enregistrée et sera traitée dès que possible, sans autre démarche de votre part.",
  },
  unavailable: {
    title: "Nous ne pouvons pas afficher cette page pour l’instant",
    text: "Quelque chose de notre côté est momentanément indisponible. Cela fonctionnera de nouveau sous peu.",
    textUnsubscribe:
      "Quelque chose de notre côté est momentanément indisponible. Vous pouvez tout de même vous désabonner : nous le notons et le ferons dès que possible.",
    again: "Réessayer",
  },
  wait: {
    seconds: { one: "{n} seconde", other: "{n} secondes" },
    minutes: { one: "{n} minute", other: "{n} minutes" },
  },

  archive: {
    title: "{list} : envois passés",
    lead: "Ce que {sender} a envoyé, le plus récent d’abord.",
    empty: "Rien n’a encore été publié ici.",
    pages: "Pages",
    newer: "Plus récents",
    older: "Plus anciens",
    subscribe: "S’abonner",
    rss: "RSS",
    atom: "Atom",
    feeds: "Flux",
    back: "Tous les envois",
    frame: "Le message : {subject}",
    mails: "Envois plus récents et plus anciens",
    nothing: {
      title: "Il n’y a rien ici",
      text: "Cette archive n’existe pas, ou ce qui était affiché ici en a été retiré.",
    },
  },
};
