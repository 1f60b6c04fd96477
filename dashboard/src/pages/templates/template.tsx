/** Writes a template: its words, its variables, what it will look like, and what of it is published. */
import "../../i18n/later/writing/composer.ts";
import "../../i18n/later/writing/templates.ts";
import "../campaigns/composer/composer.css";
import "./templates.css";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { TemplateDesk } from "./content/template-desk.tsx";
import { useTemplate } from "./draft/use-template.ts";

const route = getRouteApi("/signed-in/templates/$id");

export function TemplatePage() {
  const { id } = route.useParams();
  // A draft of its own for each template, also where one leads to the next.
  return <OneTemplate key={id} id={id} />;
}

function OneTemplate({ id }: { id: string }) {
  const { t } = useTranslation();
  const opened = useTemplate(id);
  const title = opened.kind === "open" ? opened.draft.name : t("templates.title");
  useEffect(() => {
    document.title = t("app.pageTitle", { title });
  }, [title, t]);
  if (opened.kind === "open") return <TemplateDesk drafting={opened} />;
  return (
    <>
      <h1 className="sr">{t("templates.title")}</h1>
      {opened.kind === "loading" ? (
        <SkeletonLines />
      ) : (
        <Failure title={t("templates.one.unreadable")} error={opened.error} retry={opened.retry} />
      )}
    </>
  );
}
