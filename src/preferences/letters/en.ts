import type { Letters } from "./letter-texts.ts";

export const en: Letters = {
  data: {
    subject: "Your data at {sender}",
    text: "You asked {sender} for what is kept about you.",
    button: "See what is known about me",
  },
  delete: {
    subject: "Delete your data at {sender}",
    text: "You asked {sender} to delete everything about you. Nothing is deleted until you press the button behind this link.",
    button: "Go on to delete everything",
  },
  address: {
    subject: "Change your address at {sender}",
    text: "You asked {sender} to write to another address.",
    button: "Change my address",
  },
  new_address: {
    subject: "Confirm your new address for {sender}",
    text: "Somebody who gets mail of {sender} at {from} asked for it to come to this address. Nothing changes until you confirm.",
    button: "Confirm this address",
  },
  address_changed: {
    subject: "Your address at {sender} was changed",
    text: "Mail of {sender} that came to this address goes to {to} now, as was asked for by a link in this mailbox and confirmed there. If it wasn’t you, please write to {sender}.",
  },
  anHour: "The link is good for an hour.",
  ignore: "If you didn’t ask for it, you needn’t do anything.",
};
