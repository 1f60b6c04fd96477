import type { LocaleFile } from "./words.ts";

export const de: LocaleFile = {
  lang: "de",
  direction: "ltr",

  thisList: "diese Liste",
  thisSender: "diesem Absender",
  thisListFirst: "Diese Liste",
  thisSenderFirst: "Dieser Absender",
  noSubject: "(kein Betreff)",
  sentWith: "Versendet mit Postrider",
  postrider: "Postrider",

  ask: {
    title: "Möchten Sie {list} abbestellen?",
    goesTo: "Die Mails gehen an {address}. Ein Klick, und es kommen keine mehr.",
    oneClick: "Ein Klick, und es kommen keine Mails mehr.",
    button: "Abmelden",
    also: "Auch von diesen abmelden",
    reason: "Warum?",
    optional: "freiwillig",
    reasons: {
      too_many: "Zu viele Mails",
      not_relevant: "Interessiert mich nicht mehr",
      never_asked: "Ich habe mich nie angemeldet",
      other: "Etwas anderes",
    },
    comment: "In Ihren eigenen Worten",
    commentHint: "Bis zu 500 Zeichen, gelesen von {sender}.",
    orRather: "Oder lieber",
    wholeList: "Gar nichts mehr von {list}",
    wholeListHint: "Gleich zu welchem Thema",
    wholeListButton: "Von der ganzen Liste abmelden",
    everything: "Gar nichts mehr von {sender}",
    everythingHint: "Alle Listen, auch künftige",
    everythingButton: "Von allem abmelden",
  },

  unsubscribed: {
    list: {
      title: "Sie sind abgemeldet",
      text: "{list}: An {address} kommt nichts mehr.",
      textNoAddress: "{list}: Es kommt nichts mehr.",
    },
    everything: {
      title: "Sie sind von allem abgemeldet",
      text: "{sender} schreibt nicht mehr an {address}.",
      textNoAddress: "{sender} schreibt Ihnen nicht mehr.",
    },
    already: {
      title: "Sie sind bereits abgemeldet",
      text: "{list}: An {address} geht schon nichts mehr.",
      textNoAddress: "{list}: Es kommt schon nichts mehr.",
    },
    undone: {
      title: "Sie sind wieder angemeldet",
      text: "{list} geht wie zuvor an {address}.",
      textNoAddress: "{list} kommt wie zuvor.",
    },
    nobody: {
      title: "Hier gibt es nichts abzumelden",
      text: "{sender} führt keine Anmeldung, zu der dieser Link gehört; es kommen also keine weiteren Mails.",
    },
    list_deleted: {
      title: "Sie sind abgemeldet",
      text: "Die Liste, von der diese Mail kam, gibt es nicht mehr. Wir haben notiert, dass {address} nichts mehr davon möchte.",
      textNoAddress:
        "Die Liste, von der diese Mail kam, gibt es nicht mehr. Wir haben notiert, dass Sie nichts mehr davon möchten.",
    },
    done: "Erledigt. Es gilt ab sofort.",
    inTransit: "Eine Mail, die schon unterwegs ist, kann noch ankommen.",
    undoLabel: "Aus Versehen?",
    undo: "Rückgängig machen",
    again: "Erneut abmelden",
    subscribeAgain: "Wieder anmelden",
  },

  testMail: {
    title: "Das war eine Testmail",
    text: "Es wurde nichts geändert: Der Link in einem Test gehört niemandem. In der Mail, die wirklich versendet wird, hat jeder einen eigenen Link.",
  },
  nothingToSee: {
    title: "Hier gibt es nichts zu sehen",
    text: "Dieser Link steht in der Mail für Programme, die jedem Link folgen. Es wurde nichts geändert.",
  },
  notFound: {
    title: "Hier ist nichts",
    text: "Der Link ist unvollständig oder vertippt. Kopieren Sie ihn ganz aus der Mail, oder klicken Sie ihn dort an.",
  },
  gone: {
    title: "Das wird nicht mehr aufbewahrt",
    text: "Die Seite, zu der dieser Link führte, wurde entfernt.",
  },
  tooMany: {
    title: "Zu viele Anfragen",
    text: "Aus Ihrem Netz kamen gerade viele. Es wurde nichts geändert. Es geht wieder in {wait}.",
    again: "Noch einmal versuchen",
  },
  recorded: {
    title: "Ihr Wunsch ist notiert",
    text: "Wir können Ihre Anmeldung im Moment nicht nachschlagen. Was Sie wollten, ist gespeichert und wird so bald wie möglich erledigt, ohne dass Sie noch etwas tun müssen.",
  },
  unavailable: {
    title: "Diese Seite können wir gerade nicht zeigen",
    text: "Bei uns ist für einen Moment etwas ausgefallen. Es geht in Kürze wieder.",
    textUnsubscribe:
      "Bei uns ist für einen Moment etwas ausgefallen. Abmelden können Sie sich trotzdem: Wir notieren es und erledigen es so bald wie möglich.",
    again: "Noch einmal versuchen",
  },
  wait: {
    seconds: { one: "{n} Sekunde", other: "{n} Sekunden" },
    minutes: { one: "{n} Minute", other: "{n} Minuten" },
  },

  archive: {
    title: "{list}: frühere Mails",
    lead: "Versendet von {sender}, das Neueste zuerst.",
    empty: "Hier ist noch nichts veröffentlicht.",
    pages: "Seiten",
    newer: "Neuere",
    older: "Ältere",
    subscribe: "Anmelden",
    rss: "RSS",
    atom: "Atom",
    feeds: "Feeds",
    back: "Alle Mails",
    frame: "Die Mail: {subject}",
    mails: "Neuere und ältere Mails",
    nothing: {
      title: "Hier ist nichts",
      text: "Ein solches Archiv gibt es nicht, oder was hier zu sehen war, wurde herausgenommen.",
    },
  },
};
