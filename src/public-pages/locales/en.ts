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

  confirm: {
    thisAddress: "this address",
    title: "Subscribe to {list}?",
    goesTo: "It will go to {address} once you confirm. You can unsubscribe at any time.",
    tracking:
      "You also agree that it is kept which of these mails you open and which links in them you follow.",
    button: "Yes, subscribe me",
    notYou: "If you didn’t ask for it, close this page: nothing will come.",
    confirmed: {
      title: "You are subscribed",
      text: "{list} goes to {address} from now on.",
      done: "Confirmed. Thank you.",
      onward: "Continue",
    },
    already: {
      title: "You are subscribed already",
      text: "{list} goes to {address}. There is nothing more to do.",
    },
    expired: {
      title: "This link is too old",
      text: "It was good for 30 days, or belongs to another address by now. Sign up again, and a new one comes.",
    },
    left: {
      title: "You have unsubscribed since",
      text: "{list} doesn’t go to {address} any more. If you want it again, sign up anew.",
    },
    suppressed: {
      title: "Nothing is sent to this address",
      text: "{sender} has noted that {address} gets no mails. Ask them if you think that is a mistake.",
    },
    forgotten: {
      title: "There is nothing to confirm",
      text: "{sender} keeps nothing that this link belongs to. Sign up again if you want to.",
    },
    list_deleted: {
      title: "This list is gone",
      text: "{sender} has closed it, so there is nothing to confirm any more.",
    },
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

  preferences: {
    title: "What would you like to read?",
    whose: "For {address}",
    saved: "Saved. It holds from the next mail on.",
    hasLeftAll: "You have unsubscribed from everything. What you tick comes again.",
    topics: "Topics",
    lists: "Lists",
    waiting: "Waits for you to confirm: we have sent you a mail.",
    pause: "Take a break",
    noPause: "No, go on",
    pauseFor: { one: "For {n} day", other: "For {n} days" },
    pausedUntil: "Until {date}",
    tracking: "Note which mails I open and what I click",
    trackingHint: "Otherwise it is only counted, without my name.",
    save: "Save",
    everything: "Stop everything",
    data: "What you know about me",
    address: "Change my address",
    delete: "Delete me",
    nothing: {
      title: "There is nothing here",
      text: "{sender} keeps nothing about whoever this link belonged to, and won’t write any more.",
    },
    mailed: {
      title: "Look into your mailbox",
      text: "If this address is still in use here, a mail with a link is on its way to it. The link is good for an hour.",
      why: "Mails get forwarded: so only who can read the mailbox gets further.",
    },
    expired: {
      title: "This link has expired",
      text: "It was good for an hour, or it has been used. The preferences link in any of our mails gets you a new one.",
    },
    myData: {
      title: "What is known about you",
      text: "Everything that {sender} keeps about {address}, as a file that programs can read (JSON).",
      button: "Download",
    },
    deleteMe: {
      title: "Delete everything about you?",
      text: "{sender} forgets {address}: your subscriptions, names, answers, and what you opened. Only a fingerprint stays, so that nobody adds the address again by mistake. It can’t be undone.",
      button: "Delete everything",
      done: "Everything is deleted",
      doneText: "{sender} keeps nothing about you any more, and won’t write.",
    },
    newAddress: {
      title: "Change your address",
      text: "What came to {address} will come to the new address, once you have confirmed it there.",
      label: "New e-mail address",
      button: "Send the link to confirm",
      wrong: "That isn’t an e-mail address that we can write to.",
      mailed: "Confirm at the new address",
      mailedText:
        "If we may write to {address}, a mail with a link is on its way there. Until you confirm, everything stays as it is.",
    },
    moveHere: {
      title: "Is this your address?",
      text: "Mails of {sender} that went to {from} will come to {to}.",
      button: "Yes, use this address",
      done: "Your address is changed",
      doneText: "Mails of {sender} come to {to} from now on. We have told your former address.",
    },
  },

  form: {
    title: "Sign up",
    labels: { email: "E-mail", first_name: "First name", last_name: "Last name" },
    optional: "(if you like)",
    consent: "Send me {list}. I can stop it at any time.",
    tracking:
      "{sender} may record which mails I open and which links I follow. I can take this back at any time.",
    button: "Sign up",
    noteConfirm: "You will get one mail that asks whether it was really you.",
    note: "If you had left before, you will get one mail that asks whether it was really you.",
    privacy: "Privacy",
    trap: "Leave this empty",
    close: "Close",
    again: "Something has to be mended below.",
    once: "Please look at your address once more.",
    failed: "That didn’t work. Please try again in a moment.",
    tooMany: "Many sign-ups came from your network just now. Please try again later.",
    faults: {
      email: "This is no whole e-mail address, such as ada@example.org.",
      noTop: "Something is missing after “{domain}”, such as .org",
      required: "Please fill this in.",
      agree: "Please tick this box, or we may not write to you.",
      long: "This is too long.",
      character: "There is a line break or another character here that can’t be taken.",
      number: "Please give a number.",
      date: "Please give a date, such as 2026-11-14.",
      url: "Please give an address that begins with https://.",
      meant: "Did you mean {address}? Change it, or press the button again to keep it as it is.",
      unreachable: "No mail can arrive at “{domain}”. Is it spelt right?",
      unreachableMeant: "No mail can arrive at “{domain}”. Did you mean {address}?",
    },
    done: {
      title: "Thank you",
      textConfirm:
        "If you aren’t on the list yet, a mail is on its way that asks whether it was really you. Nothing comes before you say yes.",
      text: "You are on the list. If you had left it before, a mail is on its way that asks whether it was really you.",
    },
    closed: { title: "This form is closed", text: "Nobody can sign up here at present." },
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
