import { addWords } from "../../add-words.ts";

/** How single sign-on is set up, and who is linked. */
export const ssoWords = {
  ssoSettings: {
    title: "Single sign-on",
    lead: "People sign in with a provider of yours. Whoever runs this server sets it up, for all accounts.",
    unreadable: "Single sign-on couldn't be read",
    off: "Not set up: people sign in with passwords and passkeys.",
    offHow:
      "Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, and start the service anew. The provider must know this redirect address:",
    provider: "Provider",
    issuer: "Issuer",
    redirect: "Redirect address",
    copyRedirect: "Copy the redirect address",
    passwords: "Passwords",
    passwordsOn: "People may sign in with passwords and passkeys as well.",
    passwordsOff: "Switched off: people sign in with the provider alone.",
    groups: "Groups",
    groupsLead:
      "At every sign-in the role becomes what the groups say. They are set by OIDC_GROUPS, and read from the claim {{claim}}.",
    noGroups: "No group belongs to this account: people are invited, and keep their roles.",
    group: "Group",
    role: "Role",
    linked: "Who is linked",
    linkedLead: "People of this account who have signed in with the provider.",
    nobody: "Nobody yet. Whoever signs in with the provider stands here.",
    person: "Person",
    lastSeen: "Last signed in with it",
    byGroups: "By a group",
    elsewhere: "{{email}} at the provider",
    unlink: "Unlink",
    unlinkTitle: "Unlink {{email}}?",
    unlinkLead:
      "Their sessions by the provider end. If they sign in with it again they are linked anew; to shut them out, remove them from the account as well.",
    unlinked: "Unlinked",
  },
} as const;

addWords(ssoWords);
