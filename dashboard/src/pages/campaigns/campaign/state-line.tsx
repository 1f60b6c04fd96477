/** One line under a campaign's title: how it stands, to whom it goes, since when, and whether the numbers are of now. */
import { useQuery } from "@tanstack/react-query";
import { Activity } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { query, sessionQuery } from "../../../api/queries.ts";
import { formatSecond, formatTime } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { useLeavesInMs } from "../sending/undo-bar.tsx";
import { spellShortly } from "../sending/when/spell.ts";
import { CampaignState } from "../state.tsx";
import { statsQuery } from "./use-campaign.ts";

export function StateLine({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { status } = campaign;
  const isLeaving = useLeavesInMs(campaign) !== undefined;
  return (
    <>
      <CampaignState status={status} word={isLeaving ? t("sending.state.leaving") : undefined} isSmall />
      <Audience campaign={campaign} />
      {useHistory(campaign, isLeaving).map((text) => (
        <span key={text}>{text}</span>
      ))}
      {status === "sending" && <Freshness id={campaign.id} />}
    </>
  );
}

/** When what happened to it, and who did it where that is known: the service signs what changed last. */
function useHistory(campaign: Campaign, isLeaving: boolean): readonly string[] {
  const { t } = useTranslation();
  const { data: session } = useQuery(sessionQuery);
  const { status, send_at: at, started_at: started, finished_at: finished } = campaign;
  const { updated_at: changed, updated_by: who, pause_reason: why } = campaign;
  const isPerson = who?.kind === "user" || who?.kind === "api_key";
  const signed = (isTheirs: boolean, what: string) => {
    if (!isTheirs || !isPerson) return what;
    if (who.id === session?.user.id) return t("sending.state.byYou", { what });
    return who.name === null ? what : t("sending.state.by", { what, name: who.name });
  };
  const said: (string | false | null)[] = [
    status === "scheduled" && at !== null && !isLeaving && signed(true, spellShortly(new Date(at))),
    started && signed(changed === started, t("sending.state.started", { time: formatTime(started) })),
    status === "paused" &&
      signed(why === "requested", t("sending.state.paused", { time: formatTime(changed) })),
    finished && signed(status === "canceled", t("sending.state.finished", { time: formatTime(finished) })),
  ];
  return said.filter((one) => typeof one === "string");
}

function Audience({ campaign }: { campaign: Campaign }) {
  const { list_id: listId, segment_id: segmentId, topic_id: topicId } = campaign;
  const { t } = useTranslation();
  const { data: list } = useQuery(query("GET /v1/lists/{id}", { path: { id: listId } }));
  const { data: segment } = useQuery({
    ...query("GET /v1/segments/{id}", { path: { id: segmentId ?? "" } }),
    enabled: segmentId !== null,
  });
  const { data: topic, error: isTopicGone } = useQuery({
    ...query("GET /v1/topics/{id}", { path: { id: topicId ?? "" } }),
    enabled: topicId !== null,
  });
  if (!list) return null;
  return (
    <>
      <span className="break" dir="auto">
        {segment
          ? t("sending.state.toSegment", { segment: segment.name, list: list.name })
          : t("sending.state.to", { list: list.name })}
      </span>
      {(topic || isTopicGone) && (
        <span className="break" dir="auto">
          {topic ? t("sending.state.about", { topic: topic.name }) : t("sending.state.goneTopic")}
        </span>
      )}
    </>
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
