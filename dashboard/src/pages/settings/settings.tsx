import "../../styles/settings.css";
import { Link, Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageHead } from "../../kit/page.tsx";
import { type SettingsSection, useSettingsSections } from "../../shell/settings-sections.ts";

export function Settings() {
  const { t } = useTranslation();
  const sections = useSettingsSections();
  const { pathname } = useLocation();
  const present = sections.find(({ to }) => pathname.startsWith(to));
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
function SectionChoice({ sections }: { sections: readonly SettingsSection[] }) {
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
        onChange={(event) => void navigate({ to: event.target.value as SettingsSection["to"] })}
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
