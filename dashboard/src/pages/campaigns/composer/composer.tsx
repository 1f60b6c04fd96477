/** Writes a campaign: whom it goes to and from, its words, its content, and what it will look like. */
import "../../../i18n/later/writing/composer.ts";
import "./composer.css";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Desk } from "./desk.tsx";
import { useDraft } from "./draft/use-draft.ts";

const route = getRouteApi("/signed-in/campaigns/$id/edit");

export function Composer() {
  const { id } = route.useParams();
  // A draft of its own for each campaign, also where one leads to the next.
  return <OneCampaign key={id} id={id} />;
}

function OneCampaign({ id }: { id: string }) {
  const { t } = useTranslation();
  const opened = useDraft(id);
  const title = opened.kind === "open" ? opened.draft.name : t("composer.title");
  useEffect(() => {
    document.title = t("app.pageTitle", { title });
  }, [title, t]);
  if (opened.kind === "open") return <Desk drafting={opened} />;
  return (
    <>
      <h1 className="sr">{t("composer.title")}</h1>
      {opened.kind === "loading" ? (
        <SkeletonLines />
      ) : (
        <Failure title={t("composer.unreadable")} error={opened.error} retry={opened.retry} />
      )}
    </>
  );
}
