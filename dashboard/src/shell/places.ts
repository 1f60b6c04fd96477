/** The places of the navigation. What isn't built isn't here. */
import { useQuery } from "@tanstack/react-query";
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
} from "lucide-react";
import { sessionQuery } from "../api/queries.ts";

export type Place = {
  readonly to:
    | "/"
    | "/campaigns"
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
    | "/events"
    | "/settings";
  readonly label:
    | "nav.home"
    | "nav.campaigns"
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
    | "nav.events"
    | "nav.settings";
  readonly icon: LucideIcon;
  /** The letter after `g` that leads there. */
  readonly letter?: string;
  /** A member of the account may not even look at it. */
  readonly ownersOnly?: true;
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
      { to: "/campaigns", label: "nav.campaigns", icon: Send, letter: "c" },
      { to: "/emails", label: "nav.emails", icon: MailCheck, letter: "r", ownersOnly: true },
      { to: "/templates", label: "nav.templates", icon: LayoutTemplate, letter: "t" },
    ],
  },
  {
    label: "nav.audience",
    places: [
      { to: "/subscribers", label: "nav.subscribers", icon: Users, letter: "s" },
      { to: "/segments", label: "nav.segments", icon: Funnel, letter: "e" },
      { to: "/lists", label: "nav.lists", icon: List, letter: "l" },
      { to: "/forms", label: "nav.forms", icon: SquarePen, letter: "u" },
      { to: "/topics", label: "nav.topics", icon: Hash, letter: "o" },
      { to: "/fields", label: "nav.fields", icon: Braces, letter: "f" },
      { to: "/suppressions", label: "nav.suppressions", icon: Ban, letter: "x" },
    ],
  },
  {
    label: "nav.delivery",
    places: [
      { to: "/deliverability", label: "nav.deliverability", icon: ShieldCheck, letter: "d" },
      { to: "/inbox", label: "nav.inbox", icon: Inbox, letter: "i" },
      { to: "/inbound", label: "nav.inbound", icon: MailX, letter: "b" },
    ],
  },
  {
    label: "nav.developers",
    places: [
      { to: "/api-keys", label: "nav.apiKeys", icon: KeyRound, letter: "k", ownersOnly: true },
      { to: "/events", label: "nav.events", icon: ScrollText, letter: "v" },
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
export const BESIDE: readonly Place[] = [
  { to: "/imports/new", label: "nav.newImport", icon: Upload },
  { to: "/imports", label: "nav.imports", icon: Upload, letter: "m" },
  { to: "/exports", label: "nav.exports", icon: Download },
];

/** The places that whoever is signed in may open. */
export function usePlaces(): readonly PlaceGroup[] {
  const { data: session } = useQuery(sessionQuery);
  const isOwner = session?.user.role === "owner";
  return GROUPS.map(({ label, places }) => ({
    label,
    places: places.filter((one) => isOwner || !one.ownersOnly),
  }));
}
