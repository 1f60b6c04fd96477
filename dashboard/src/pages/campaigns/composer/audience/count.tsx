/** How many will get it, how many won't, and why; each reason leads to those people. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { CampaignAudience } from "../../../../api/openapi.ts";
import { asApiError } from "../../../../api/problem.ts";
import { query } from "../../../../api/queries.ts";
import { formatNumber } from "../../../../i18n/format.ts";
import { ProblemNote } from "../../../../kit/forms/problem-note.tsx";
import type { EnvelopeDrafting } from "../draft/use-envelope.ts";

const REASONS = [
  "not_in_topic",
  "pending",
  "unsubscribed",
  "bounced",
  "complained",
  "opted_out",
  "paused",
  "dormant",
  "suppressed",
] as const;
type Reason = (typeof REASONS)[number];

type Props = { drafting: EnvelopeDrafting };

export function AudienceCount({ drafting: { campaign, draft } }: Props) {
  const { t } = useTranslation();
  const isSaved = (["list_id", "segment_id", "topic_id"] as const).every(
    (field) => campaign[field] === draft[field],
  );
  const input = { path: { id: campaign.id } };
  const { queryKey } = query("GET /v1/campaigns/{id}/audience", input);
  // What is saved is counted, so a new choice is another answer.
  const { data, error, isFetching } = useQuery({
    queryKey: [...queryKey, campaign.list_id, campaign.segment_id, campaign.topic_id],
    queryFn: ({ signal }) => call("GET /v1/campaigns/{id}/audience", { ...input, signal }),
    enabled: isSaved,
  });
  if (error && isSaved) return <ProblemNote error={asApiError(error)} />;
  if (!data || !isSaved) return <p className="sm dim audience-wait">{t("composer.audience.counting")}</p>;
  return (
    <div className="stack">
      <div className="row between audience-sum">
        <span className="audience-get">
          <b className="num">{formatNumber(data.will_get)}</b>{" "}
          <span className="sm mid">{t("composer.audience.willGet", { count: data.will_get })}</span>
        </span>
        <span className="xs dim" role="status">
          {isFetching ? t("composer.audience.counting") : t("composer.audience.counted")}
        </span>
      </div>
      <Bar audience={data} />
      <Explanation audience={data} listId={draft.list_id} segmentId={draft.segment_id} />
    </div>
  );
}

const countOf = ({ excluded }: CampaignAudience, rule: string) =>
  excluded.find((one) => one.rule === rule)?.count ?? 0;

/** Those on the list whom the segment matches. */
const matching = (audience: CampaignAudience) => audience.on_list - countOf(audience, "not_in_segment");

function Bar({ audience }: { audience: CampaignAudience }) {
  const left = matching(audience) - audience.will_get;
  return (
    <div className="tally" aria-hidden="true">
      {audience.will_get > 0 && <i className="sent" style={{ flex: `${audience.will_get} 1 0` }} />}
      {left > 0 && <i className="skipped" style={{ flex: `${left} 1 0` }} />}
    </div>
  );
}

type Explained = { audience: CampaignAudience; listId: string; segmentId: string | null };

function Explanation({ audience, listId, segmentId }: Explained) {
  const { t } = useTranslation();
  const people = { list: listId, ...(segmentId && { segment: segmentId }) };
  const left = REASONS.filter((reason) => countOf(audience, reason) > 0);
  const count = matching(audience);
  return (
    <p className="sm mid num">
      <Link className="link-u" to="/subscribers" search={people}>
        {t(segmentId ? "composer.audience.match" : "composer.audience.onList", {
          count,
          number: formatNumber(count),
        })}
      </Link>
      {left.length > 0 ? ` ${t("composer.audience.leftOut")} ` : ` ${t("composer.audience.allGet")}`}
      {left.map((reason, at) => (
        <Fragment key={reason}>
          {at > 0 && (at === left.length - 1 ? ` ${t("composer.audience.and")} ` : ", ")}
          <ReasonLink people={people} reason={reason}>
            {t(`composer.audience.reasons.${reason}`, { number: formatNumber(countOf(audience, reason)) })}
          </ReasonLink>
        </Fragment>
      ))}
      {left.length > 0 && "."}
    </p>
  );
}

type ReasonLinkProps = { people: { list: string; segment?: string }; reason: Reason; children: string };

/** Who gets a topic can't be filtered by, so that its number leads nowhere. */
function ReasonLink({ people, reason, children }: ReasonLinkProps) {
  if (reason === "not_in_topic") return children;
  return (
    <Link className="link-u" to="/subscribers" search={{ ...people, ...filterOf(reason) }}>
      {children}
    </Link>
  );
}

/** Suppressed people, those who want no mail at all, those who paused and the dormant may be active on the list. */
function filterOf(reason: Exclude<Reason, "not_in_topic">) {
  return reason === "opted_out" || reason === "suppressed" || reason === "paused" || reason === "dormant"
    ? { held: reason }
    : { status: reason };
}
