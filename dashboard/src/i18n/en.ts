/** English, complete. A key is where the words stand; `_one` and `_other` are the forms for one and for more. */

import { bulk } from "./en-bulk.ts";
import { home } from "./en-home.ts";
import { imports } from "./en-imports.ts";
import { inbox } from "./en-inbox.ts";
import { pages } from "./en-pages.ts";
import { people } from "./en-people.ts";
import { segments } from "./en-segments.ts";
import { settings } from "./en-settings.ts";

export const en = {
  app: {
    pageTitle: "{{title}} · Postrider",
    skip: "Skip to the page",
    loading: "Loading",
    crumbs: "Where this page is",
  },
  nav: {
    main: "Main",
    audience: "Audience",
    delivery: "Delivery",
    developers: "Developers",
    yours: "Yours",
    open: "Menu",
    side: "Navigation and account",
    home: "Home",
    subscribers: "Subscribers",
    segments: "Segments",
    lists: "Lists",
    fields: "Fields",
    suppressions: "Suppressions",
    inbox: "Sandbox inbox",
    imports: "Imports",
    newImport: "Import a file",
    exports: "Exports",
    apiKeys: "API keys",
    events: "Events",
    docs: "API reference",
    settings: "Settings",
  },
  do: {
    cancel: "Cancel",
    close: "Close",
    copied: "Copied",
    copy: "Copy",
    copyDetails: "Copy the details",
    delete: "Delete",
    done: "Done",
    edit: "Edit",
    more: "More",
    moreOf: "More for {{name}}",
    reload: "Reload",
    rename: "Rename",
    save: "Save",
    tryAgain: "Try again",
    tryNow: "Try now",
    undo: "Undo",
  },
  form: {
    optional: "(optional)",
    notSet: "Not set",
    yes: "Yes",
    no: "No",
    showPassword: "Show",
    hidePassword: "Hide",
    typeNumber: "Type {{number}} to go on",
  },
  problem: {
    offline: "The service can't be reached. What you typed is still here.",
    unexpected: "Something went wrong here.",
    page_not_loaded:
      "Postrider has been upgraded since you opened it, or it can't be reached. Reload to go on.",
    body_too_large: "This is more than the service takes at once. Send less of it.",
    invalid_cursor: "This address names a place in the table that there isn't.",
    forbidden: "Your role doesn't allow this; an owner of the account can do it.",
    rate_limited: "Too many requests at once. Wait a moment, then try again.",
    precondition_failed: "This was changed elsewhere since you opened it. Look at it, then save again.",
    database_unavailable:
      "The database doesn't answer. If it lasts, see whether PostgreSQL is running, or run npm run postrider -- doctor.",
    reference: "{{code}} · {{id}}",
  },
  connection: {
    offline: "The service can't be reached.",
    offlineMore: "What was read stays here. It is tried again by itself.",
    unavailable: "The database is away, so nothing can be saved just now.",
    unavailableMore: "What was being sent waits, and goes on by itself.",
  },
  palette: {
    open: "Search or jump to",
    hint: "An address, an id, a page or a verb",
    results: "Results",
    none: "Nothing fits. People are found by their whole address.",
    goTo: "Go to {{place}}",
    escape: "esc",
  },
  keys: {
    title: "Keyboard shortcuts",
    lead: "These work on this page, outside of fields. Single keys can be switched off in the settings.",
    off: "Single keys are switched off in the settings; the others work.",
  },
  mode: {
    live: "Live",
    sandbox: "Sandbox",
    byInstance: "By this instance's mail server",
    nothingLeaves: "Nothing leaves this machine.",
  },
  me: {
    profile: "Your profile",
    signOut: "Sign out",
    switchTheme: "Switch between light and dark",
  },
  entry: {
    promise: "Nobody lost on the way, and the ledger proves it.",
    promiseMore: "Each recipient has a line of its own. The sum always adds up.",
  },
  signIn: {
    title: "Sign in",
    lead: "to Postrider, on this machine",
    leadBack: "and you are back where you were",
    email: "E-mail address",
    password: "Password",
    action: "Sign in",
    forgotten: "Forgotten? An owner can make a link that sets a new one, and so can the operator:",
    againTitle: "Sign in again",
    againLead: "Your session has ended. The page behind this is as you left it.",
  },
  setup: {
    title: { first: "Make this yours", invited: "You are invited", reset: "Choose a new password" },
    lead: {
      first: "You will be the owner of this account. The link is spent once you finish.",
      invited: "Choose a password, and you are in.",
      reset: "Your sessions elsewhere will end.",
    },
    account: "What is it called?",
    accountHint: "Your company or project; readers may see it.",
    name: "Your name",
    passwordHint: "At least 10 characters. A few words are easy to remember and hard to guess.",
    action: "Open the dashboard",
    noTelemetry: "Nothing is sent anywhere: no telemetry, no outside request.",
    incomplete: "The address is not complete: copy the whole link.",
    uselessTitle: "This link can't be used",
    uselessWhat:
      "An owner of the account can make a new one, and so can the operator, by npm run postrider -- users reset.",
  },
  ...bulk,
  ...imports,
  ...home,
  ...people,
  ...pages,
  ...inbox,
  ...segments,
  ...settings,
} as const;
