/** One line under a campaign's title: how it stands, to whom it goes, since when, and whether the numbers are of now. */
import { useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatSecond, formatTime } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { useLeavesInMs } from "../sending/undo-bar.tsx";
import { spellShortly } from "../sending/when/spell.ts";
import { CampaignState } from "../state.tsx";
import { statsQuery } from "./use-campaign.ts";

export function StateLine({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { status, send_at: at, started_at: started, finished_at: finished } = campaign;
  const isLeaving = useLeavesInMs(campaign) !== undefined;
  return (
    <>
      <CampaignState status={status} word={isLeaving ? t("sending.state.leaving") : undefined} isSmall />
      <Audience campaign={campaign} />
      {status === "scheduled" && at && !isLeaving && (
        <span>{t("sending.state.at", { when: spellShortly(new Date(at)) })}</span>
      )}
      {started && <span>{t("sending.state.started", { time: formatTime(started) })}</span>}
      {finished && <span>{t("sending.state.finished", { time: formatTime(finished) })}</span>}
      {status === "sending" && <Freshness id={campaign.id} />}
    </>
  );
}

function Audience({ campaign: { list_id: listId, segment_id: segmentId } }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { data: list } = useQuery(query("GET /v1/lists/{id}", { path: { id: listId } }));
  const { data: segment } = useQuery({
    ...query("GET /v1/segments/{id}", { path: { id: segmentId ?? "" } }),
    enabled: segmentId !== null,
  });
  if (!list) return null;
  return (
    <span className="break" dir="auto">
      {segment
        ? t("sending.state.toSegment", { segment: segment.name, list: list.name })
        : t("sending.state.to", { list: list.name })}
    </span>
  );
}

/** After so long without an answer, the numbers aren't of now. */
const SILENCE_MS = 10_000;

function Freshness({ id }: { id: string }) {
  const { t } = useTranslation();
  // It is read every few seconds while mail is sent, so that this is rendered anew also where nothing comes any more.
  const { data, dataUpdatedAt, errorUpdatedAt } = useQuery(statsQuery(id));
  const isOld = data && Math.max(Date.now(), errorUpdatedAt) - dataUpdatedAt > SILENCE_MS;
  if (!data) return null;
  if (isOld)
    return (
      <span className="c-warn">{t("sending.state.asOf", { time: formatSecond(new Date(data.as_of)) })}</span>
    );
  return (
    <span className="row live-mark">
      <Icon of={Activity} size="sm" />
      {t("sending.state.live")}
    </span>
  );
}
