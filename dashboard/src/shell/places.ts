/** The places of the navigation. What isn't built isn't here. */
import {
  Ban,
  Braces,
  Download,
  Funnel,
  Hash,
  House,
  Inbox,
  KeyRound,
  LayoutTemplate,
  List,
  type LucideIcon,
  MailCheck,
  MailX,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  SquarePen,
  Upload,
  Users,
  Webhook,
  Workflow,
} from "lucide-react";
import { type Scope, useMay } from "../api/may.ts";

export type Place = {
  readonly to:
    | "/"
    | "/campaigns"
    | "/automations"
    | "/emails"
    | "/templates"
    | "/subscribers"
    | "/segments"
    | "/lists"
    | "/forms"
    | "/fields"
    | "/topics"
    | "/suppressions"
    | "/deliverability"
    | "/inbox"
    | "/inbound"
    | "/imports"
    | "/imports/new"
    | "/exports"
    | "/api-keys"
    | "/webhooks"
    | "/events"
    | "/settings";
  readonly label:
    | "nav.home"
    | "nav.campaigns"
    | "nav.automations"
    | "nav.emails"
    | "nav.templates"
    | "nav.subscribers"
    | "nav.segments"
    | "nav.lists"
    | "nav.forms"
    | "nav.fields"
    | "nav.topics"
    | "nav.suppressions"
    | "nav.deliverability"
    | "nav.inbox"
    | "nav.inbound"
    | "nav.imports"
    | "nav.newImport"
    | "nav.exports"
    | "nav.apiKeys"
    | "nav.webhooks"
    | "nav.events"
    | "nav.settings";
  readonly icon: LucideIcon;
  /** The letter after `g` that leads there. */
  readonly letter?: string;
  /** Whoever lacks this scope may not even look at it. */
  readonly needs?: Scope;
};

export type PlaceGroup = {
  readonly label: "nav.main" | "nav.audience" | "nav.delivery" | "nav.developers";
  readonly places: readonly Place[];
};

const GROUPS: readonly PlaceGroup[] = [
  {
    label: "nav.main",
    places: [
      { to: "/", label: "nav.home", icon: House, letter: "h" },
      { to: "/campaigns", label: "nav.campaigns", icon: Send, letter: "c", needs: "campaigns:read" },
      {
        to: "/automations",
        label: "nav.automations",
        icon: Workflow,
        letter: "a",
        needs: "automations:read",
      },
      { to: "/emails", label: "nav.emails", icon: MailCheck, letter: "r", needs: "emails:read" },
      {
        to: "/templates",
        label: "nav.templates",
        icon: LayoutTemplate,
        letter: "t",
        needs: "templates:read",
      },
    ],
  },
  {
    label: "nav.audience",
    places: [
      { to: "/subscribers", label: "nav.subscribers", icon: Users, letter: "s", needs: "subscribers:read" },
      { to: "/segments", label: "nav.segments", icon: Funnel, letter: "e", needs: "lists:read" },
      { to: "/lists", label: "nav.lists", icon: List, letter: "l", needs: "lists:read" },
      { to: "/forms", label: "nav.forms", icon: SquarePen, letter: "u", needs: "forms:read" },
      { to: "/topics", label: "nav.topics", icon: Hash, letter: "o", needs: "lists:read" },
      { to: "/fields", label: "nav.fields", icon: Braces, letter: "f", needs: "lists:read" },
      { to: "/suppressions", label: "nav.suppressions", icon: Ban, letter: "x", needs: "suppressions:read" },
    ],
  },
  {
    label: "nav.delivery",
    places: [
      {
        to: "/deliverability",
        label: "nav.deliverability",
        icon: ShieldCheck,
        letter: "d",
        needs: "deliverability:read",
      },
      { to: "/inbox", label: "nav.inbox", icon: Inbox, letter: "i", needs: "campaigns:read" },
      { to: "/inbound", label: "nav.inbound", icon: MailX, letter: "b", needs: "inbound:read" },
    ],
  },
  {
    label: "nav.developers",
    places: [
      { to: "/api-keys", label: "nav.apiKeys", icon: KeyRound, letter: "k", needs: "api_keys:read" },
      { to: "/webhooks", label: "nav.webhooks", icon: Webhook, letter: "w", needs: "webhooks:read" },
      { to: "/events", label: "nav.events", icon: ScrollText, letter: "v", needs: "events:read" },
    ],
  },
];

export const SETTINGS: Place = {
  to: "/settings",
  label: "nav.settings",
  icon: Settings,
  letter: ",",
};

/** These are reached from the subscribers and by the palette, so that the navigation stays short. */
const BESIDE: readonly Place[] = [
  { to: "/imports/new", label: "nav.newImport", icon: Upload, needs: "subscribers:write" },
  { to: "/imports", label: "nav.imports", icon: Upload, letter: "m", needs: "subscribers:read" },
  { to: "/exports", label: "nav.exports", icon: Download, needs: "subscribers:export" },
];

/** The places that whoever is signed in may open. A group without any isn't there. */
export function usePlaces(): readonly PlaceGroup[] {
  const may = useMay();
  return GROUPS.map(({ label, places }) => ({
    label,
    places: places.filter(({ needs }) => may(needs)),
  })).filter(({ places }) => places.length > 0);
}

export function usePlacesBeside(): readonly Place[] {
  const may = useMay();
  return BESIDE.filter(({ needs }) => may(needs));
}
