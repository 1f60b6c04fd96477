import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Event } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Listing } from "../../kit/listing.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Pager } from "../../kit/pager.tsx";
import { Empty } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { TYPES } from "./event-types.ts";
import { GROUPS, type Group } from "./search.ts";

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
  const choose = (next: string) => void navigate({ search: next === "" ? {} : { about: next as Group } });
  return (
    <>
      <PageHead title={t("nav.events")} sub={t("events.lead")} />
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
      </div>
      <Listing
        result={events}
        unreadable={t("events.unreadable")}
        empty={<Empty title={t("events.none")} text={t("events.noneText")} />}
      >
        {(rows, page) => (
          <>
            <ul className="events">
              {rows.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ul>
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </>
  );
}

function EventRow({ event }: { event: Event }) {
  const { t } = useTranslation();
  const json = JSON.stringify(event, null, 2);
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
          <CopyButton text={json} size="sm" />
        </div>
      </details>
    </li>
  );
}
