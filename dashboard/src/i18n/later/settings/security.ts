import { addWords } from "../../add-words.ts";

/** Second factors on the page about one's own security. */
export const securityWords = {
  required: {
    due: "{{account}} wants its people to have a second factor, and you have none yet. Add one here; then everything else is open to you.",
    title: "Second factors of everybody",
    lead: "For the whole account, not for you alone.",
    label: "Everybody here needs a second factor",
    hint: "Whoever has none signs in, and sees this page alone until they add one. API keys go on. You need a factor of your own first.",
  },
  factors: {
    title: "Second factors",
    lead: "With one of these a stolen password is not enough to sign in as you.",
    unreadable: "Your factors couldn't be read",
    none: "You have none yet: your password alone opens your account.",
    name: "Name",
    kind: "Kind",
    kinds: { totp: "Authenticator app", passkey: "Passkey" },
    lastUsed: "Last used",
    addApp: "Add an app",
    addPasskey: "Add a passkey",
    needsHost:
      "Passkeys need a host name. This service is open by an address of numbers: set BASE_URL to one with a host name, and come in there.",
    appTitle: "Add an authenticator app",
    appLead: "Scan this with the app on your phone, then type the code that it shows.",
    qr: "A QR code with the secret",
    secret: "Or type this into the app",
    activate: "Activate",
    renamed: "Renamed",
    remove: "Remove",
    removeTitle: "Remove {{name}}?",
    removeLead: "It no longer signs you in.",
    removeLast:
      "It is your last one. After that your password alone opens your account, and your recovery codes end.",
    removed: "Removed",
    added: "Added",
  },
  recovery: {
    title: "Recovery codes",
    lead: "For when your factors are out of reach. Each is good once.",
    left_one: "{{number}} of 10 is left.",
    left_other: "{{number}} of 10 are left.",
    few: "Make new ones soon.",
    make: "Make new codes",
    makeTitle: "Make ten new codes?",
    makeLead: "The ones that you have now end.",
    shownTitle: "Keep your recovery codes",
    shownLead:
      "They are shown this once. Keep them apart from your phone: on paper, or in a password manager.",
    list: "Recovery codes",
    copy: "Copy them",
    download: "Download",
    file: "postrider-recovery-codes.txt",
    fileHead: "Recovery codes of {{email}} at {{host}}, each good once:",
    kept: "I have kept them",
  },
} as const;

addWords(securityWords);
