import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** People come by imports and go by exports; both are reached from the subscribers. */
export function MovingTabs() {
  const { t } = useTranslation();
  return (
    <nav className="tabs" aria-label={t("imports.tabs")}>
      <Link to="/imports" activeOptions={{ exact: true }} activeProps={{ "aria-current": "page" }}>
        {t("nav.imports")}
      </Link>
      <Link to="/exports" activeProps={{ "aria-current": "page" }}>
        {t("nav.exports")}
      </Link>
    </nav>
  );
}
