import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

/** A title above this may be cut off on a narrow screen, so the whole is told to who points at it. */
const LONG_TITLE = 60;

/** The top of a page: where it belongs, its title, one line of state, and at most three actions. */
export function PageHead({
  title,
  tabTitle = title,
  sub,
  crumb,
  actions,
  avatar,
}: {
  title: string;
  /** The title in the browser's tab, where one page has several parts. */
  tabTitle?: string;
  sub?: ReactNode;
  crumb?: {
    label: string;
    to:
      | "/campaigns"
      | "/automations"
      | "/emails"
      | "/subscribers"
      | "/segments"
      | "/imports"
      | "/suppressions"
      | "/forms"
      | "/inbound"
      | "/webhooks"
      | "/deliverability/tests";
  };
  actions?: ReactNode;
  avatar?: ReactNode;
}) {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t("app.pageTitle", { title: tabTitle });
  }, [tabTitle, t]);
  return (
    <header className="head">
      {avatar}
      <div className="grow">
        {crumb && (
          <nav className="crumbs" aria-label={t("app.crumbs")}>
            <Link to={crumb.to}>{crumb.label}</Link>
            <Icon of={ChevronRight} size="sm" />
          </nav>
        )}
        <h1 className="page-title" title={title.length > LONG_TITLE ? title : undefined}>
          {title}
        </h1>
        {sub && <div className="sub row wrap">{sub}</div>}
      </div>
      {actions && <div className="acts">{actions}</div>}
    </header>
  );
}
