/** Every English word of the public pages. `{places}` are filled in by the pages; a translation is another file like this. */
export const en = {
  /** What the page says its language is; dates and numbers are written by it. */
  lang: "en-GB",
  direction: "ltr",

  thisList: "this list",
  thisSender: "this sender",
  /** The same at the start of a sentence. */
  thisListFirst: "This list",
  thisSenderFirst: "This sender",
  noSubject: "(no subject)",
  sentWith: "Sent with Postrider",
  postrider: "Postrider",

  ask: {
    title: "Unsubscribe from {list}?",
    goesTo: "It goes to {address}. One click, and it won’t come again.",
    oneClick: "One click, and it won’t come again.",
    button: "Unsubscribe",
    also: "Leave these as well",
    reason: "Say why",
    optional: "optional",
    reasons: {
      too_many: "Too many mails",
      not_relevant: "Not of interest to me any more",
      never_asked: "I never asked for it",
      other: "Something else",
    },
    comment: "In your own words",
    commentHint: "Up to 500 characters, read by {sender}.",
    orRather: "Or rather",
    wholeList: "Nothing more of {list}",
    wholeListHint: "Whatever it is about",
    wholeListButton: "Unsubscribe from the whole list",
    everything: "Nothing from {sender} at all",
    everythingHint: "All lists, those to come included",
    everythingButton: "Unsubscribe from everything",
  },

  unsubscribed: {
    list: {
      title: "You are unsubscribed",
      text: "{list} won’t come to {address} again.",
      textNoAddress: "{list} won’t come again.",
    },
    everything: {
      title: "You are unsubscribed from everything",
      text: "{sender} won’t write to {address} again.",
      textNoAddress: "{sender} won’t write to you again.",
    },
    already: {
      title: "You are unsubscribed already",
      text: "{list} doesn’t go to {address} any more.",
      textNoAddress: "{list} doesn’t come to you any more.",
    },
    undone: {
      title: "You are subscribed again",
      text: "{list} goes to {address} as before.",
      textNoAddress: "{list} comes as before.",
    },
    nobody: {
      title: "There is nothing to unsubscribe",
      text: "{sender} keeps no subscription that this link belongs to, so no more mails will come from it.",
    },
    list_deleted: {
      title: "You are unsubscribed",
      text: "The list that this mail came from is gone. We have noted that {address} wants nothing more from it.",
      textNoAddress:
        "The list that this mail came from is gone. We have noted that you want nothing more from it.",
    },
    done: "Done. It holds from now on.",
    inTransit: "A mail that is on its way already may still arrive.",
    undoLabel: "A slip of the finger?",
    undo: "Undo",
    again: "Unsubscribe again",
    subscribeAgain: "Subscribe again",
  },

  testMail: {
    title: "This was a test mail",
    text: "Nothing was changed: the link in a test belongs to nobody. In the mail that is really sent, everybody’s link is their own.",
  },
  nothingToSee: {
    title: "Nothing to see here",
    text: "This link is in the mail for programs that follow every link. Nothing was changed.",
  },
  notFound: {
    title: "Nothing is here",
    text: "The link is incomplete or mistyped. Copy the whole of it from the mail, or click it there.",
  },
  gone: {
    title: "This is no longer kept",
    text: "The page that this link led to has been taken away.",
  },
  tooMany: {
    title: "Too many requests",
    text: "Many came from your network just now. Nothing was changed. It works again in {wait}.",
    again: "Try again",
  },
  recorded: {
    title: "Your wish is written down",
    text: "We can’t look up your subscription at this moment. What you asked for is stored and will be done as soon as we can, without you doing anything more.",
  },
  unavailable: {
    title: "We can’t show this page just now",
    text: "Something on our side is away for a moment. It works again shortly.",
    textUnsubscribe:
      "Something on our side is away for a moment. You can unsubscribe all the same: we write it down and do it as soon as we can.",
    again: "Try again",
  },
  /** A language has its own forms of a plural: any of zero, one, two, few and many, and always other. */
  wait: {
    seconds: { one: "{n} second", other: "{n} seconds" },
    minutes: { one: "{n} minute", other: "{n} minutes" },
  },

  archive: {
    title: "{list}: past mails",
    lead: "What {sender} has sent, newest first.",
    empty: "Nothing has been published here yet.",
    pages: "Pages",
    newer: "Newer",
    older: "Older",
    subscribe: "Subscribe",
    rss: "RSS",
    atom: "Atom",
    feeds: "Feeds",
    back: "All mails",
    frame: "The mail: {subject}",
    mails: "Newer and older mails",
    nothing: {
      title: "Nothing is here",
      text: "There is no such archive, or what was shown here has been taken out of it.",
    },
  },
} as const;
