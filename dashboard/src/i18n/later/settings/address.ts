import { addWords } from "../../add-words.ts";

/** The change of one's own address: in the profile, and on the page behind the link that proves it. */
export const addressWords = {
  problem: {
    address_taken: "Somebody else has this address meanwhile. Ask for another one.",
    proof_unavailable:
      "This service can't mail a link by itself, so no new address can be confirmed. Whoever runs it sets SMTP_URL and SYSTEM_FROM.",
  },
  address: {
    title: "E-mail address",
    lead: "You sign in with it. A new one counts once you follow the link that is mailed to it; the one you have now is told.",
    present: "Your address is {{email}}.",
    next: "New e-mail address",
    ask: "Mail the link",
    asked: "A mail is on its way to {{email}}",
    pending: "Waiting for {{email}} to be confirmed.",
    until: "The link is good until",
    nothing: "Nothing came? Look into the folder for spam, or ask again: three times an hour at most.",
    takeBack: "Take it back",
    takenBack: "Your address stays as it is",
    confirmTitle: "Confirm your new address",
    confirmLead:
      "From then on you sign in with {{email}}. Your sessions elsewhere end, and the address you had is told.",
    nonePending:
      "Whoever is signed in here has asked for no other address, or has taken it back, or has got a new password since. Ask for it again in your profile.",
    confirm: "Confirm the address",
    signInFirst: "Sign in as whoever asked for it, and you come back here.",
    uselessTitle: "This link is of no use",
    incomplete: "The address of this page isn't complete. Open the link of the mail again.",
    toProfile: "To your profile",
    done: "You now sign in with {{email}}",
  },
} as const;

addWords(addressWords);
