/** The places of the navigation. What isn't built isn't here. */
import { Ban, Braces, KeyRound, List, type LucideIcon, ScrollText, Settings, Users } from "lucide-react";

export type Place = {
  readonly to:
    | "/subscribers"
    | "/lists"
    | "/fields"
    | "/suppressions"
    | "/api-keys"
    | "/events"
    | "/settings/account";
  readonly label:
    | "nav.subscribers"
    | "nav.lists"
    | "nav.fields"
    | "nav.suppressions"
    | "nav.apiKeys"
    | "nav.events"
    | "nav.settings";
  readonly icon: LucideIcon;
  /** The letter after `g` that leads there. */
  readonly letter: string;
};

export type PlaceGroup = {
  readonly label: "nav.audience" | "nav.developers";
  readonly places: readonly Place[];
};

export const GROUPS: readonly PlaceGroup[] = [
  {
    label: "nav.audience",
    places: [
      { to: "/subscribers", label: "nav.subscribers", icon: Users, letter: "s" },
      { to: "/lists", label: "nav.lists", icon: List, letter: "l" },
      { to: "/fields", label: "nav.fields", icon: Braces, letter: "f" },
      { to: "/suppressions", label: "nav.suppressions", icon: Ban, letter: "x" },
    ],
  },
  {
    label: "nav.developers",
    places: [
      { to: "/api-keys", label: "nav.apiKeys", icon: KeyRound, letter: "k" },
      { to: "/events", label: "nav.events", icon: ScrollText, letter: "v" },
    ],
  },
];

export const SETTINGS: Place = {
  to: "/settings/account",
  label: "nav.settings",
  icon: Settings,
  letter: ",",
};
export const PLACES: readonly Place[] = [...GROUPS.flatMap(({ places }) => places), SETTINGS];
