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

  confirm: {
    thisAddress: "diese Adresse",
    title: "{list} abonnieren?",
    goesTo: "Es geht an {address}, sobald Sie bestätigen. Abmelden können Sie sich jederzeit.",
    tracking:
      "Sie stimmen auch zu, dass festgehalten wird, welche dieser Mails Sie öffnen und welchen Links darin Sie folgen.",
    button: "Ja, ich abonniere",
    notYou: "Wenn Sie das nicht wollten, schließen Sie diese Seite: Es kommt nichts.",
    confirmed: {
      title: "Sie sind angemeldet",
      text: "{list} geht ab jetzt an {address}.",
      done: "Bestätigt. Vielen Dank.",
      onward: "Weiter",
    },
    already: {
      title: "Sie sind schon angemeldet",
      text: "{list} geht an {address}. Es ist nichts weiter zu tun.",
    },
    expired: {
      title: "Dieser Link ist zu alt",
      text: "Er galt 30 Tage lang, oder er gehört zu einer anderen Adresse. Melden Sie sich noch einmal an, dann kommt ein neuer.",
    },
    left: {
      title: "Sie haben sich inzwischen abgemeldet",
      text: "{list} geht nicht mehr an {address}. Wenn Sie es wieder wollen, melden Sie sich neu an.",
    },
    suppressed: {
      title: "An diese Adresse wird nichts gesendet",
      text: "{sender} hat vermerkt, dass {address} keine Mails erhält. Fragen Sie dort nach, wenn das ein Irrtum ist.",
    },
    forgotten: {
      title: "Es gibt nichts zu bestätigen",
      text: "{sender} bewahrt nichts auf, wozu dieser Link gehört. Melden Sie sich noch einmal an, wenn Sie möchten.",
    },
    list_deleted: {
      title: "Diese Liste gibt es nicht mehr",
      text: "{sender} hat sie geschlossen, es ist also nichts mehr zu bestätigen.",
    },
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

  preferences: {
    title: "Was möchten Sie lesen?",
    whose: "Für {address}",
    saved: "Gespeichert. Es gilt ab der nächsten Mail.",
    hasLeftAll: "Sie haben sich von allem abgemeldet. Was Sie ankreuzen, kommt wieder.",
    topics: "Themen",
    lists: "Listen",
    waiting: "Wartet auf Ihre Bestätigung: Wir haben Ihnen eine Mail geschickt.",
    pause: "Pause machen",
    noPause: "Nein, weiter wie bisher",
    pauseFor: { one: "Für {n} Tag", other: "Für {n} Tage" },
    pausedUntil: "Bis {date}",
    tracking: "Festhalten, welche Mails ich öffne und was ich anklicke",
    trackingHint: "Sonst wird es nur gezählt, ohne meinen Namen.",
    save: "Speichern",
    everything: "Nichts mehr senden",
    data: "Was Sie über mich wissen",
    address: "Adresse ändern",
    delete: "Mich löschen",
    nothing: {
      title: "Hier ist nichts",
      text: "{sender} bewahrt nichts über die Person auf, zu der dieser Link gehörte, und schreibt ihr nicht mehr.",
    },
    mailed: {
      title: "Sehen Sie in Ihr Postfach",
      text: "Wenn diese Adresse hier noch in Gebrauch ist, ist eine Mail mit einem Link dorthin unterwegs. Der Link gilt eine Stunde.",
      why: "Mails werden weitergeleitet: Deshalb kommt nur weiter, wer das Postfach lesen kann.",
    },
    expired: {
      title: "Dieser Link gilt nicht mehr",
      text: "Er galt eine Stunde, oder er wurde schon benutzt. Über den Link zu den Einstellungen in jeder unserer Mails bekommen Sie einen neuen.",
    },
    myData: {
      title: "Was über Sie bekannt ist",
      text: "Alles, was {sender} über {address} aufbewahrt, als Datei, die Programme lesen können (JSON).",
      button: "Herunterladen",
    },
    deleteMe: {
      title: "Alles über Sie löschen?",
      text: "{sender} vergisst {address}: Anmeldungen, Namen, Antworten und was Sie geöffnet haben. Nur ein Fingerabdruck bleibt, damit niemand die Adresse versehentlich wieder hinzufügt. Das lässt sich nicht rückgängig machen.",
      button: "Alles löschen",
      done: "Alles ist gelöscht",
      doneText: "{sender} bewahrt nichts mehr über Sie auf und schreibt nicht mehr.",
    },
    newAddress: {
      title: "Ihre Adresse ändern",
      text: "Was an {address} ging, kommt an die neue Adresse, sobald Sie es dort bestätigt haben.",
      label: "Neue E-Mail-Adresse",
      button: "Link zum Bestätigen senden",
      wrong: "Das ist keine E-Mail-Adresse, an die wir schreiben können.",
      mailed: "Bestätigen Sie an der neuen Adresse",
      mailedText:
        "Wenn wir an {address} schreiben dürfen, ist eine Mail mit einem Link dorthin unterwegs. Bis Sie bestätigen, bleibt alles, wie es ist.",
    },
    moveHere: {
      title: "Ist das Ihre Adresse?",
      text: "Mails von {sender}, die an {from} gingen, kommen dann an {to}.",
      button: "Ja, diese Adresse verwenden",
      done: "Ihre Adresse ist geändert",
      doneText: "Mails von {sender} kommen ab jetzt an {to}. Ihrer früheren Adresse haben wir es mitgeteilt.",
    },
  },

  form: {
    title: "Anmelden",
    labels: { email: "E-Mail", first_name: "Vorname", last_name: "Nachname" },
    optional: "(freiwillig)",
    consent: "Schicken Sie mir {list}. Ich kann das jederzeit beenden.",
    tracking:
      "{sender} darf festhalten, welche Mails ich öffne und welchen Links ich folge. Ich kann das jederzeit zurücknehmen.",
    button: "Anmelden",
    noteConfirm: "Sie bekommen eine Mail, die fragt, ob wirklich Sie es waren.",
    note: "Wenn Sie sich früher abgemeldet hatten, bekommen Sie eine Mail, die fragt, ob wirklich Sie es waren.",
    privacy: "Datenschutz",
    trap: "Bitte leer lassen",
    close: "Schließen",
    again: "Unten ist noch etwas zu berichtigen.",
    once: "Bitte sehen Sie sich Ihre Adresse noch einmal an.",
    failed: "Das hat nicht geklappt. Bitte versuchen Sie es gleich noch einmal.",
    tooMany: "Aus Ihrem Netz kamen gerade viele Anmeldungen. Bitte versuchen Sie es später noch einmal.",
    faults: {
      email: "Das ist keine vollständige E-Mail-Adresse, etwa ada@example.org.",
      noTop: "Nach „{domain}“ fehlt etwas, zum Beispiel .de",
      required: "Bitte ausfüllen.",
      agree: "Bitte kreuzen Sie das Kästchen an, sonst dürfen wir Ihnen nicht schreiben.",
      long: "Das ist zu lang.",
      character: "Hier steht ein Zeilenumbruch oder ein anderes Zeichen, das wir nicht annehmen können.",
      number: "Bitte geben Sie eine Zahl an.",
      date: "Bitte geben Sie ein Datum an, etwa 2026-11-14.",
      url: "Bitte geben Sie eine Adresse an, die mit https:// beginnt.",
      meant:
        "Meinten Sie {address}? Ändern Sie sie, oder drücken Sie noch einmal auf den Knopf, um sie so zu lassen.",
      unreachable: "Bei „{domain}“ kann keine Mail ankommen. Ist das richtig geschrieben?",
      unreachableMeant: "Bei „{domain}“ kann keine Mail ankommen. Meinten Sie {address}?",
    },
    done: {
      title: "Vielen Dank",
      textConfirm:
        "Wenn Sie noch nicht auf der Liste stehen, ist eine Mail unterwegs, die fragt, ob wirklich Sie es waren. Vorher kommt nichts.",
      text: "Sie stehen auf der Liste. Wenn Sie sich früher abgemeldet hatten, ist eine Mail unterwegs, die fragt, ob wirklich Sie es waren.",
    },
    closed: { title: "Dieses Formular ist geschlossen", text: "Hier kann sich zurzeit niemand anmelden." },
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
