import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pause } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { CampaignSummary } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { formatClock, formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { notify } from "../../kit/toasts.tsx";
import { Tally } from "../campaigns/tally/tally.tsx";

/** A campaign that is being sent, with its numbers as they move. */
export function RoadCard({ campaign }: { campaign: CampaignSummary }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [error, setError] = useState<ApiError>();
  const { per_second: perSecond, eta } = campaign.progress;
  const pause = async () => {
    setError(undefined);
    try {
      await call("POST /v1/campaigns/{id}/pause", { path: { id: campaign.id } });
      notify(t("home.paused", { name: campaign.name }));
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
  };
  return (
    <section className="road" aria-label={campaign.name}>
      <div className="row wrap">
        <span className="dot pulse c-accent" />
        <h2 className="grow break" dir="auto">
          <Link to="/campaigns/$id" params={{ id: campaign.id }}>
            {campaign.name}
          </Link>
        </h2>
        {perSecond !== null && perSecond > 0 && (
          <span className="num sm mid hide-s">
            {t("home.perSecond", { number: formatNumber(perSecond) })}
          </span>
        )}
        {eta && <span className="num sm mid hide-s">{t("home.doneAt", { time: formatClock(eta) })}</span>}
        {campaign.allowed_actions.includes("pause") && (
          <Button size="sm" icon={Pause} onClick={() => void pause()}>
            {t("home.pause")}
          </Button>
        )}
      </div>
      {campaign.stats ? <Tally stats={campaign.stats} /> : <div className="tally tally-lg" />}
      {error && <ProblemNote error={error} />}
    </section>
  );
}
