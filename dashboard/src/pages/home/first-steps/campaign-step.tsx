/** The last step: the sample campaign is sent into the sandbox, its numbers move, and some of what arrived is shown. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ChartNoAxesColumn, Mail, Send } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Campaign, SampleData } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Tally } from "../../campaigns/tally/tally.tsx";
import { useCampaignStats } from "../campaign-queries.ts";

const LOOK_AGAIN_MS = 500;

export function CampaignStep({ sample, isDone }: { sample: SampleData; isDone: boolean }) {
  const queries = useQueryClient();
  const id = sample.campaign_id ?? "";
  const { data: campaign } = useQuery({
    ...query("GET /v1/campaigns/{id}", { path: { id } }),
    enabled: id !== "",
    refetchInterval: ({ state }) => (state.data?.status === "sending" ? LOOK_AGAIN_MS : false),
  });
  const isSent = campaign?.status === "sent";
  useEffect(() => {
    // What else shows it, the ticks of the checklist among them, is read anew once it is sent.
    if (isSent)
      for (const thing of ["campaigns", "stats"]) void queries.invalidateQueries({ queryKey: [thing] });
  }, [isSent, queries]);
  if (campaign && campaign.status !== "draft") return <Sent campaign={campaign} />;
  return isDone ? null : <SendSample />;
}

function SendSample() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { campaign_id: id } = await call("POST /v1/sample_data", {});
      if (id) await call("POST /v1/campaigns/{id}/send", { path: { id } });
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    await queries.invalidateQueries();
    setBusy(false);
  };
  return (
    <>
      <p className="sm mid">{t("first.campaignText")}</p>
      {error && <ProblemNote error={error} />}
      <div className="row wrap">
        <Button kind="go" icon={Send} busy={busy} onClick={() => void send()}>
          {t("first.campaignSend")}
        </Button>
        <Link to="/campaigns" search={{ new: true }} className="link sm">
          {t("first.campaignOwn")}
        </Link>
      </div>
    </>
  );
}

function Sent({ campaign }: { campaign: Campaign }) {
  const { t, i18n } = useTranslation();
  const isMoving = campaign.status === "sending";
  const { data: stats } = useCampaignStats(campaign.id, isMoving);
  const ended = `first.ended.${campaign.status}`;
  const words = isMoving
    ? t("first.campaignSending")
    : i18n.exists(ended)
      ? t("first.campaignEnded", { status: t(ended as "first.ended.paused") })
      : t("first.campaignSent");
  return (
    <div className="stack-4 sample-sent">
      <p className="sm mid" role="status">
        {words}
      </p>
      {stats && <Tally stats={stats} />}
      <div>
        <Link to="/campaigns/$id" params={{ id: campaign.id }} className="btn btn-sm">
          <Icon of={ChartNoAxesColumn} />
          {t("first.campaignReport")}
        </Link>
      </div>
      {campaign.status === "sent" && <Arrived campaignId={campaign.id} />}
    </div>
  );
}

const SHOWN = 3;

function Arrived({ campaignId }: { campaignId: string }) {
  const { t } = useTranslation();
  const { data } = useQuery(query("GET /v1/sandbox/messages", { query: { limit: 20 } }));
  const mails = (data?.data ?? []).filter((one) => one.campaign_id === campaignId).slice(0, SHOWN);
  if (mails.length === 0) return null;
  return (
    <section className="stack" aria-label={t("first.arrived")}>
      <p className="sm">
        <span className="med">{t("first.arrived")}</span>{" "}
        <span className="dim">{t("first.arrivedText")}</span>
      </p>
      <ul className="stack tight sm mid">
        {mails.map(({ id, subject, to }) => (
          <li key={id} className="row">
            <Icon of={Mail} size="sm" />
            <Link to="/inbox" search={{ message: id }} className="break link-u">
              {t("first.arrivedLine", { subject: subject ?? "", to })}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
