import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ArrowUp, ChevronRight } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { onNews } from "../../api/live.ts";
import type { Event } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { ListPage } from "../../kit/tables/list-page.tsx";
import { Time } from "../../kit/time.tsx";
import { TYPES } from "./event-types.ts";
import { GROUPS, type Group } from "./search.ts";

/** Beyond this many nobody wants to know how many. */
const MOST_COUNTED = 100;

const route = getRouteApi("/signed-in/events");

/** The log of what happened, newest first. */
export function Events() {
  const { t } = useTranslation();
  const { cursor, about } = route.useSearch();
  const navigate = route.useNavigate();
  const type = about && TYPES.filter((one) => one.startsWith(`${about}.`));
  const events = useQuery(
    pageQuery("GET /v1/events", { query: { ...(type && { type }), ...(cursor && { cursor }) } }),
  );
  const fresh = useFresh(type, events.data?.data);
  const choose = (next: string) => void navigate({ search: next === "" ? {} : { about: next as Group } });
  const tools = (
    <div className="table-tools">
      <label className="row sm">
        <span className="dim">{t("events.about")}</span>
        <select
          className="input input-sm"
          value={about ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">{t("events.everything")}</option>
          {GROUPS.map((group) => (
            <option key={group} value={group}>
              {t(`events.groups.${group}`)}
            </option>
          ))}
        </select>
      </label>
      <span className="grow" />
      {!cursor && fresh.count !== 0 && (
        <Button
          size="sm"
          icon={ArrowUp}
          onClick={() => {
            fresh.clear();
            void events.refetch();
          }}
        >
          {fresh.count === "many" ? t("live.manyEvents") : t("live.newEvents", { count: fresh.count })}
        </Button>
      )}
    </div>
  );
  return (
    <ListPage
      title={t("nav.events")}
      lead={t("events.lead")}
      tools={tools}
      result={events}
      cursor={cursor}
      unreadable={t("events.unreadable")}
      none={t("events.none")}
      noneText={t("events.noneText")}
    >
      {(rows) => (
        <ul className="events">
          {rows.map((event) => (
            <EventRow key={event.id} event={event} />
          ))}
        </ul>
      )}
    </ListPage>
  );
}

/** How many have happened that the rows don't show. The rows stay where they are until somebody wants the new ones. */
function useFresh(types: readonly string[] | undefined, rows: readonly Event[] | undefined) {
  const [ids, setIds] = useState<readonly string[]>([]);
  const [isMany, setMany] = useState(false);
  const wanted = types?.join();
  useEffect(() => {
    setIds([]);
    setMany(false);
    return onNews((news) => {
      if (news === "many") setMany(true);
      else if (wanted === undefined || wanted.split(",").includes(news.type))
        setIds((before) => [...before.slice(1 - MOST_COUNTED), news.id]);
    });
  }, [wanted]);
  const shown = new Set(rows?.map(({ id }) => id));
  const count = ids.filter((id) => !shown.has(id)).length;
  return {
    count: isMany || count >= MOST_COUNTED ? ("many" as const) : count,
    clear: () => {
      setIds([]);
      setMany(false);
    },
  };
}

function EventRow({ event }: { event: Event }) {
  const { t } = useTranslation();
  const json = JSON.stringify(event, null, 2);
  // A campaign that was deleted has no page.
  const campaignId = event.type === "campaign.deleted" ? undefined : event.data["campaign_id"];
  return (
    <li>
      <details>
        <summary>
          <Icon of={ChevronRight} size="sm" />
          <span className="mono trunc">{event.type}</span>
          <span className="dim sm hide-s">{t(`events.actors.${event.actor.kind}`)}</span>
          <span className="dim sm num">
            <Time at={event.timestamp} />
          </span>
        </summary>
        <div className="event-more">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls can be focused. */}
          <pre className="well code" tabIndex={0}>
            {json}
          </pre>
          <div className="row wrap">
            <CopyButton text={json} size="sm" />
            {typeof campaignId === "string" && (
              <Link to="/campaigns/$id" params={{ id: campaignId }} className="btn btn-sm">
                {t("events.openCampaign")}
              </Link>
            )}
          </div>
        </div>
      </details>
    </li>
  );
}
