import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Empty } from "../kit/states.tsx";

export function NotFound() {
  const { t } = useTranslation();
  return (
    <main className="lone">
      <Empty title={t("notFound.title")} text={t("notFound.text")}>
        <Link to="/" className="btn btn-primary">
          {t("notFound.home")}
        </Link>
      </Empty>
    </main>
  );
}
