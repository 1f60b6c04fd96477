import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <main className="lone">
      <div className="empty">
        <h1>{t("notFound.title")}</h1>
        <p className="mid">{t("notFound.text")}</p>
        <Link to="/" className="btn btn-primary">
          {t("notFound.home")}
        </Link>
      </div>
    </main>
  );
}
