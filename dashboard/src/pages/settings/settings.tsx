import "../../styles/settings.css";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { query, sessionQuery } from "../../api/queries.ts";
import { PageHead } from "../../kit/page.tsx";

type Section = {
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

const SECTIONS: readonly Section[] = [
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
function useSections(): readonly Section[] {
  const { data: session } = useQuery(sessionQuery);
  const isOwner = session?.user.role === "owner";
  const { data: instance } = useQuery({ ...query("GET /v1/instance", {}), enabled: isOwner });
  const isOperator = instance?.may_read_health === true;
  return SECTIONS.filter(({ of }) => !of || (of === "owner" ? isOwner : isOperator));
}

export function Settings() {
  const { t } = useTranslation();
  const sections = useSections();
  const { pathname } = useLocation();
  const present = SECTIONS.find(({ to }) => pathname.startsWith(to));
  const title = t("nav.settings");
  return (
    <>
      <PageHead
        title={title}
        tabTitle={present ? t("settings.tabTitle", { section: t(present.label), title }) : title}
      />
      <div className="settings">
        <nav aria-label={t("nav.settings")} className="settings-list">
          {sections.map(({ to, label }) => (
            <Link key={to} to={to} activeProps={{ "aria-current": "page" }}>
              {t(label)}
            </Link>
          ))}
        </nav>
        <SectionChoice sections={sections} />
        <div className="stack-6">
          <Outlet />
        </div>
      </div>
    </>
  );
}

/** On a narrow screen, where a list of them would fill it. */
function SectionChoice({ sections }: { sections: readonly Section[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const present = sections.find(({ to }) => pathname.startsWith(to));
  return (
    <label className="settings-choice field">
      <span className="flabel">{t("settings.section")}</span>
      <select
        className="input"
        value={present?.to ?? ""}
        onChange={(event) => void navigate({ to: event.target.value as Section["to"] })}
      >
        {sections.map(({ to, label }) => (
          <option key={to} value={to}>
            {t(label)}
          </option>
        ))}
      </select>
    </label>
  );
}
