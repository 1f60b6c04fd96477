import { Link, Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageHead } from "../../kit/page.tsx";

const SECTIONS = [
  ["/settings/account", "settings.account"],
  ["/settings/sender", "settings.sender"],
  ["/settings/profile", "settings.profile"],
  ["/settings/appearance", "settings.appearance"],
] as const;

export function Settings() {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t("nav.settings")} />
      <div className="settings">
        <nav aria-label={t("nav.settings")}>
          {SECTIONS.map(([to, label]) => (
            <Link key={to} to={to} activeProps={{ "aria-current": "page" }}>
              {t(label)}
            </Link>
          ))}
        </nav>
        <div className="stack-6">
          <Outlet />
        </div>
      </div>
    </>
  );
}
