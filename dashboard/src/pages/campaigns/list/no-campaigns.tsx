import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FlaskConical, Plus, Upload } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { asApiError } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Empty } from "../../../kit/states.tsx";
import { notifyFailure } from "../../../kit/toasts.tsx";
import { type CampaignsSearch, hasFilter } from "../search.ts";

type Props = { search: CampaignsSearch; onNew: () => void; onClear: () => void };

/** Nothing fits the filter, the tab has none, or there is none at all yet. */
export function NoCampaigns({ search, onNew, onClear }: Props) {
  const { t } = useTranslation();
  if (hasFilter(search))
    return (
      <Empty title={t("campaigns.noneMatch")} text={t("campaigns.noneMatchText")}>
        <Button onClick={onClear}>{t("filter.clear")}</Button>
      </Empty>
    );
  if (search.tab)
    return (
      <Empty title={t(`campaigns.noneIn.${search.tab}`)} text={t("campaigns.noneInText")}>
        <Link className="btn" to="/campaigns">
          {t("campaigns.showAll")}
        </Link>
      </Empty>
    );
  return (
    <Empty title={t("campaigns.none")} text={t("campaigns.noneText")}>
      <Button kind="primary" icon={Plus} needs="campaigns:write" onClick={onNew}>
        {t("campaigns.new")}
      </Button>
      <TrySample />
      <Link className="btn" to="/imports/new">
        <Icon of={Upload} />
        {t("imports.new")}
      </Link>
    </Empty>
  );
}

/** Makes 200 people up, and opens the draft that comes with them. */
function TrySample() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const textOf = useProblemText();
  const [busy, setBusy] = useState(false);
  const start = async () => {
    setBusy(true);
    try {
      const { campaign_id: id } = await call("POST /v1/sample_data", {});
      if (id) await navigate({ to: "/campaigns/$id/edit", params: { id } });
      await queries.invalidateQueries();
    } catch (error) {
      notifyFailure(textOf(asApiError(error)));
    }
    setBusy(false);
  };
  return (
    <Button icon={FlaskConical} busy={busy} onClick={() => void start()}>
      {t("campaigns.trySample")}
    </Button>
  );
}
