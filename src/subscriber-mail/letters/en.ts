/** Every English word of the mails that accounts send to their subscribers. */
export const en = {
  lang: "en",
  orOpen: "Or open this address:",
  thisSender: "this sender",
  confirmation: {
    subject: "Please confirm: {list}",
    subjectNoList: "Please confirm your subscription",
    asked: "Somebody, probably you, asked {sender} to send “{list}” to {address}.",
    askedNoList: "Somebody, probably you, asked {sender} to send mails to {address}.",
    confirm: "If it was you, confirm it here. The link is good for 30 days.",
    button: "Confirm my subscription",
    ignore: "If it wasn't you, do nothing: without a confirmation nothing more will come.",
  },
  welcome: {
    why: "You get this mail because you confirmed your subscription to “{list}”.",
    unsubscribe: "Unsubscribe",
  },
} as const;
