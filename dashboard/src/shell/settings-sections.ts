/** The parts of the settings, which their page lists and the palette finds. */
import { useQuery } from "@tanstack/react-query";
import { query, sessionQuery } from "../api/queries.ts";

export type SettingsSection = {
  readonly to:
    | "/settings/account"
    | "/settings/people"
    | "/settings/sender"
    | "/settings/transports"
    | "/settings/branding"
    | "/settings/tracking"
    | "/settings/guardrails"
    | "/settings/health"
    | "/settings/profile"
    | "/settings/appearance";
  readonly label:
    | "settings.account"
    | "team.title"
    | "settings.sender"
    | "servers.title"
    | "branding.title"
    | "trackingSettings.title"
    | "guardrails.title"
    | "health.title"
    | "settings.profile"
    | "settings.appearance";
  /** Anybody has it, an owner, or an owner of the account whose owners run the instance. */
  readonly of?: "owner" | "operator";
};

const SECTIONS: readonly SettingsSection[] = [
  { to: "/settings/account", label: "settings.account", of: "owner" },
  { to: "/settings/people", label: "team.title", of: "owner" },
  { to: "/settings/sender", label: "settings.sender", of: "owner" },
  { to: "/settings/transports", label: "servers.title", of: "owner" },
  { to: "/settings/branding", label: "branding.title", of: "owner" },
  { to: "/settings/tracking", label: "trackingSettings.title", of: "owner" },
  { to: "/settings/guardrails", label: "guardrails.title", of: "owner" },
  { to: "/settings/profile", label: "settings.profile" },
  { to: "/settings/appearance", label: "settings.appearance" },
  // It comes last, because it is known last whether it is there.
  { to: "/settings/health", label: "health.title", of: "operator" },
];

/** The parts that whoever is signed in may open. */
export function useSettingsSections(): readonly SettingsSection[] {
  const { data: session } = useQuery(sessionQuery);
  const isOwner = session?.user.role === "owner";
  const { data: instance } = useQuery({ ...query("GET /v1/instance", {}), enabled: isOwner });
  const isOperator = instance?.may_read_health === true;
  return SECTIONS.filter(({ of }) => !of || (of === "owner" ? isOwner : isOperator));
}
