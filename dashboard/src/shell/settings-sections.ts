/** The parts of the settings, which their page lists and the palette finds. */
import { useQuery } from "@tanstack/react-query";
import { type Scope, useMay } from "../api/may.ts";
import { query, sessionQuery } from "../api/queries.ts";

export type SettingsSection = {
  readonly to:
    | "/settings/account"
    | "/settings/people"
    | "/settings/sender"
    | "/settings/transports"
    | "/settings/branding"
    | "/settings/mail-style"
    | "/settings/words"
    | "/settings/tracking"
    | "/settings/guardrails"
    | "/settings/usage"
    | "/settings/billing"
    | "/settings/plans"
    | "/settings/single-sign-on"
    | "/settings/audit"
    | "/settings/health"
    | "/settings/instance"
    | "/settings/profile"
    | "/settings/security"
    | "/settings/appearance";
  readonly label:
    | "settings.account"
    | "team.title"
    | "settings.sender"
    | "servers.title"
    | "branding.title"
    | "settings.mailStyle"
    | "settings.words"
    | "trackingSettings.title"
    | "guardrails.title"
    | "settings.usage"
    | "settings.billing"
    | "settings.plans"
    | "settings.sso"
    | "settings.audit"
    | "health.title"
    | "settings.instance"
    | "settings.profile"
    | "security.title"
    | "settings.appearance";
  /** Whoever lacks this scope doesn't have it. */
  readonly needs?: Scope;
  /** It is for the account of the first start. */
  readonly isOperators?: true;
  /** It is for operators, whatever their account. */
  readonly ofInstance?: true;
};

const SECTIONS: readonly SettingsSection[] = [
  { to: "/settings/account", label: "settings.account", needs: "account:write" },
  { to: "/settings/people", label: "team.title", needs: "users:write" },
  { to: "/settings/sender", label: "settings.sender", needs: "account:write" },
  { to: "/settings/transports", label: "servers.title", needs: "transports:read" },
  { to: "/settings/branding", label: "branding.title", needs: "account:write" },
  { to: "/settings/mail-style", label: "settings.mailStyle", needs: "account:write" },
  { to: "/settings/words", label: "settings.words", needs: "account:write" },
  { to: "/settings/tracking", label: "trackingSettings.title", needs: "account:write" },
  { to: "/settings/guardrails", label: "guardrails.title", needs: "account:write" },
  { to: "/settings/usage", label: "settings.usage", needs: "usage:read" },
  { to: "/settings/billing", label: "settings.billing", needs: "billing:read" },
  { to: "/settings/single-sign-on", label: "settings.sso", needs: "sso:read" },
  { to: "/settings/audit", label: "settings.audit", needs: "audit:read" },
  { to: "/settings/profile", label: "settings.profile" },
  { to: "/settings/security", label: "security.title" },
  { to: "/settings/appearance", label: "settings.appearance" },
  { to: "/settings/instance", label: "settings.instance", ofInstance: true },
  { to: "/settings/plans", label: "settings.plans", ofInstance: true },
  // It comes last, because it is known last whether it is there.
  { to: "/settings/health", label: "health.title", needs: "instance:read", isOperators: true },
];

/** The parts that whoever is signed in may open. */
export function useSettingsSections(): readonly SettingsSection[] {
  const may = useMay();
  const enabled = may("instance:read");
  const { data: instance } = useQuery({ ...query("GET /v1/instance", {}), enabled });
  const isOperator = instance?.may_read_health === true;
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  return SECTIONS.filter(
    ({ needs, isOperators, ofInstance }) =>
      may(needs) && (!isOperators || isOperator) && (!ofInstance || session?.is_operator === true),
  );
}
