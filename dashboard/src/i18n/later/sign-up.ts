import { addWords } from "../add-words.ts";

/** How a stranger opens an account: the page that asks, and the one behind the link of the mail. */
export const signUp = {
  problem: {
    sign_up_closed:
      "Nobody opens an account of their own here. Ask whoever runs this service, or to be invited to an account.",
  },
  signUp: {
    title: "Create an account",
    lead: "We mail you a link by which you choose a password, and the account is yours.",
    email: "Your e-mail address",
    action: "Mail me the link",
    back: "I have an account: sign in",
    sentTitle: "Look into your mail",
    sent: "A mail is on its way to {{email}}. It has a link, good once and for 24 hours, or says that you have an account already.",
    nothing:
      "Nothing came? Look among the spam, and at the address. You may ask again: three mails an hour go to an address at most.",
    another: "Take another address",
    confirmTitle: "Open your account",
    confirmLead: "Choose a password, and {{account}} is yours.",
    confirm: "Open the account",
    signedOut: "Signed out; open the account now",
    uselessWhat: "Sign in if you have an account already. Otherwise ask for a new link.",
    again: "Ask for a new link",
  },
} as const;

addWords(signUp);
