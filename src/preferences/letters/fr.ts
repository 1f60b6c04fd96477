import type { Letters } from "./letter-texts.ts";

export const fr: Letters = {
  data: {
    subject: "Vos données chez {sender}",
    text: "Vous avez demandé à {sender} ce qui est conservé à votre sujet.",
    button: "Voir ce que l’on sait de moi",
  },
  delete: {
    subject: "Supprimer vos données chez {sender}",
    text: "Vous avez demandé à {sender} de supprimer tout ce qui vous concerne. Rien n’est supprimé tant que vous n’appuyez pas sur le bouton derrière ce lien.",
    button: "Continuer vers la suppression",
  },
  address: {
    subject: "Changer votre adresse chez {sender}",
    text: "Vous avez demandé à {sender} d’écrire à une autre adresse.",
    button: "Changer mon adresse",
  },
  new_address: {
    subject: "Confirmez votre nouvelle adresse pour {sender}",
    text: "Une personne qui reçoit les envois de {sender} à {from} souhaite les recevoir à cette adresse. Rien ne change tant que vous ne confirmez pas.",
    button: "Confirmer cette adresse",
  },
  address_changed: {
    subject: "Votre adresse chez {sender} a été changée",
    text: "Les envois de {sender} qui arrivaient à cette adresse vont désormais à {to}, comme demandé par un lien dans cette boîte et confirmé là-bas. Si ce n’était pas vous, écrivez à {sender}.",
  },
  anHour: "Le lien est valable une heure.",
  ignore: "Si vous n’avez rien demandé, vous n’avez rien à faire.",
};
