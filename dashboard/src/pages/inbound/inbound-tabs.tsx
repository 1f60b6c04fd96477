import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

/** What came back, and the ways by which it comes. */
export function InboundTabs() {
  const { t } = useTranslation();
  return (
    <nav className="tabs" aria-label={t("inbound.tabs")}>
      <Link to="/inbound" activeOptions={{ exact: true }} activeProps={{ "aria-current": "page" }}>
        {t("inbound.log")}
      </Link>
      <Link
        to="/inbound/storms"
        activeOptions={{ includeSearch: false }}
        activeProps={{ "aria-current": "page" }}
      >
        {t("inbound.storms.title")}
      </Link>
      <Link to="/inbound/mailboxes" activeProps={{ "aria-current": "page" }}>
        {t("inbound.mailboxes.title")}
      </Link>
      <Link to="/inbound/endpoints" activeProps={{ "aria-current": "page" }}>
        {t("inbound.endpoints.title")}
      </Link>
    </nav>
  );
}
