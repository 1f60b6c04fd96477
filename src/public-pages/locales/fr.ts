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

  confirm: {
    thisAddress: "cette adresse",
    title: "S’abonner à {list} ?",
    goesTo:
      "L’envoi à {address} commencera dès que vous aurez confirmé. Vous pourrez vous désinscrire à tout moment.",
    tracking:
      "Vous acceptez aussi que soit conservé lesquels de ces e-mails vous ouvrez et quels liens vous y suivez.",
    button: "Oui, je m’abonne",
    notYou: "Si vous n’avez rien demandé, fermez cette page : rien n’arrivera.",
    confirmed: {
      title: "Vous êtes inscrit·e",
      text: "{list} sera désormais envoyé à {address}.",
      done: "C’est confirmé. Merci.",
      onward: "Continuer",
    },
    already: {
      title: "Vous êtes déjà inscrit·e",
      text: "{list} est envoyé à {address}. Il n’y a rien d’autre à faire.",
    },
    expired: {
      title: "Ce lien est trop ancien",
      text: "Il était valable 30 jours, ou appartient désormais à une autre adresse. Inscrivez-vous à nouveau pour en recevoir un autre.",
    },
    left: {
      title: "Vous vous êtes désinscrit·e entre-temps",
      text: "{list} n’est plus envoyé à {address}. Pour le recevoir à nouveau, inscrivez-vous encore une fois.",
    },
    suppressed: {
      title: "Rien n’est envoyé à cette adresse",
      text: "{sender} a noté que {address} ne reçoit aucun message. Demandez-leur si vous pensez que c’est une erreur.",
    },
    forgotten: {
      title: "Il n’y a rien à confirmer",
      text: "{sender} ne conserve rien qui corresponde à ce lien. Inscrivez-vous à nouveau si vous le souhaitez.",
    },
    list_deleted: {
      title: "Cette liste n’existe plus",
      text: "{sender} l’a fermée, il n’y a donc plus rien à confirmer.",
    },
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

  preferences: {
    title: "Que souhaitez-vous lire ?",
    whose: "Pour {address}",
    saved: "C’est enregistré, à partir du prochain envoi.",
    hasLeftAll: "Vous vous êtes désabonné(e) de tout. Ce que vous cochez reviendra.",
    topics: "Thèmes",
    lists: "Listes",
    waiting: "En attente de votre confirmation : nous vous avons envoyé un message.",
    pause: "Faire une pause",
    noPause: "Non, continuer",
    pauseFor: { one: "Pendant {n} jour", other: "Pendant {n} jours" },
    pausedUntil: "Jusqu’au {date}",
    tracking: "Noter quels messages j’ouvre et sur quoi je clique",
    trackingHint: "Sinon, c’est seulement compté, sans mon nom.",
    save: "Enregistrer",
    everything: "Ne plus rien recevoir",
    data: "Ce que vous savez de moi",
    address: "Changer d’adresse",
    delete: "Me supprimer",
    nothing: {
      title: "Il n’y a rien ici",
      text: "{sender} ne conserve rien sur la personne à qui appartenait ce lien, et ne lui écrira plus.",
    },
    mailed: {
      title: "Consultez votre boîte de réception",
      text: "Si cette adresse est encore utilisée ici, un message avec un lien lui est envoyé. Le lien est valable une heure.",
      why: "Les messages se transfèrent : seule la personne qui lit la boîte peut donc aller plus loin.",
    },
    expired: {
      title: "Ce lien n’est plus valable",
      text: "Il était valable une heure, ou il a déjà servi. Le lien des préférences dans n’importe lequel de nos messages vous en donne un nouveau.",
    },
    myData: {
      title: "Ce que l’on sait de vous",
      text: "Tout ce que {sender} conserve sur {address}, dans un fichier lisible par des programmes (JSON).",
      button: "Télécharger",
    },
    deleteMe: {
      title: "Supprimer tout ce qui vous concerne ?",
      text: "{sender} oublie {address} : abonnements, noms, réponses et ce que vous avez ouvert. Seule une empreinte reste, pour que personne n’ajoute à nouveau l’adresse par erreur. C’est définitif.",
      button: "Tout supprimer",
      done: "Tout est supprimé",
      doneText: "{sender} ne conserve plus rien sur vous et ne vous écrira plus.",
    },
    newAddress: {
      title: "Changer votre adresse",
      text: "Ce qui arrivait à {address} arrivera à la nouvelle adresse, dès que vous l’y aurez confirmé.",
      label: "Nouvelle adresse e-mail",
      button: "Envoyer le lien de confirmation",
      wrong: "Ce n’est pas une adresse e-mail à laquelle nous pouvons écrire.",
      mailed: "Confirmez à la nouvelle adresse",
      mailedText:
        "Si nous pouvons écrire à {address}, un message avec un lien y est envoyé. Tant que vous n’avez pas confirmé, rien ne change.",
    },
    moveHere: {
      title: "Est-ce bien votre adresse ?",
      text: "Les envois de {sender} qui allaient à {from} arriveront à {to}.",
      button: "Oui, utiliser cette adresse",
      done: "Votre adresse est changée",
      doneText:
        "Les envois de {sender} arrivent désormais à {to}. Nous avons prévenu votre ancienne adresse.",
    },
  },

  form: {
    title: "S’inscrire",
    labels: { email: "Adresse e-mail", first_name: "Prénom", last_name: "Nom" },
    optional: "(facultatif)",
    consent: "Envoyez-moi {list}. Je peux arrêter à tout moment.",
    tracking:
      "{sender} peut enregistrer quels e-mails j’ouvre et quels liens je suis. Je peux revenir sur cet accord à tout moment.",
    button: "S’inscrire",
    noteConfirm: "Vous recevrez un seul e-mail pour vérifier que c’était bien vous.",
    note: "Si vous vous étiez désinscrit, vous recevrez un seul e-mail pour vérifier que c’était bien vous.",
    privacy: "Confidentialité",
    trap: "Laissez ce champ vide",
    close: "Fermer",
    again: "Il reste quelque chose à corriger ci-dessous.",
    once: "Veuillez relire votre adresse.",
    failed: "Cela n’a pas fonctionné. Veuillez réessayer dans un instant.",
    tooMany: "Beaucoup d’inscriptions viennent d’arriver de votre réseau. Veuillez réessayer plus tard.",
    faults: {
      email: "Ce n’est pas une adresse e-mail complète, comme ada@example.org.",
      noTop: "Il manque quelque chose après « {domain} », par exemple .fr",
      required: "Veuillez remplir ce champ.",
      agree: "Veuillez cocher cette case, sinon nous ne pouvons pas vous écrire.",
      long: "C’est trop long.",
      character: "Il y a ici un retour à la ligne ou un autre caractère que nous ne pouvons pas accepter.",
      number: "Veuillez indiquer un nombre.",
      date: "Veuillez indiquer une date, comme 2026-11-14.",
      url: "Veuillez indiquer une adresse qui commence par https://.",
      meant:
        "Vouliez-vous dire {address} ? Corrigez-la, ou appuyez encore une fois sur le bouton pour la garder.",
      unreachable: "Aucun message ne peut arriver à « {domain} ». Est-ce bien écrit ?",
      unreachableMeant: "Aucun message ne peut arriver à « {domain} ». Vouliez-vous dire {address} ?",
    },
    done: {
      title: "Merci",
      textConfirm:
        "Si vous n’êtes pas encore sur la liste, un e-mail est en route pour vérifier que c’était bien vous. Rien d’autre n’arrive avant votre accord.",
      text: "Vous êtes sur la liste. Si vous l’aviez quittée, un e-mail est en route pour vérifier que c’était bien vous.",
    },
    closed: { title: "Ce formulaire est fermé", text: "Personne ne peut s’inscrire ici pour le moment." },
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
