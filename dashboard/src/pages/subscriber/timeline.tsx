import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Activity } from "../../api/openapi.ts";
import { formatDay } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { ActivityStop } from "./activity-stop.tsx";

const KINDS = ["all", "mails", "consent", "changes"] as const;
type Kind = (typeof KINDS)[number];

function isOf(kind: Kind, { type }: Activity): boolean {
  if (kind === "all") return true;
  if (kind === "mails") return type.startsWith("email.");
  if (kind === "consent") return type.startsWith("consent.");
  return !/^(email|consent)\./.test(type);
}

/** What happened, newest first, by day: a route with its stations. */
export function Timeline({ id }: { id: string }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<Kind>("all");
  const activity = useInfiniteQuery({
    queryKey: ["subscribers", "activity", id],
    queryFn: ({ pageParam }) =>
      call("GET /v1/subscribers/{id}/activity", {
        path: { id },
        query: { limit: 50, ...(pageParam !== "" && { cursor: pageParam }) },
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const entries = (activity.data?.pages ?? [])
    .flatMap(({ data }) => data)
    .filter((entry) => isOf(kind, entry));
  const days = Map.groupBy(entries, (entry) => formatDay(entry.created_at));
  return (
    <section className="one-main" aria-labelledby="timeline">
      <div className="row wrap timeline-head">
        <h2 id="timeline">{t("timeline.title")}</h2>
        <span className="grow" />
        <div className="seg">
          {KINDS.map((one) => (
            <button key={one} type="button" aria-pressed={one === kind} onClick={() => setKind(one)}>
              {t(`timeline.kind.${one}`)}
            </button>
          ))}
        </div>
      </div>
      {activity.error && !activity.data && (
        <Failure
          title={t("timeline.unreadable")}
          error={activity.error}
          retry={() => void activity.refetch()}
        />
      )}
      {activity.isPending && <SkeletonLines lines={4} />}
      {activity.data && entries.length === 0 && <p className="dim sm">{t("timeline.none")}</p>}
      {[...days].map(([day, ofDay]) => (
        <div key={day}>
          <h3 className="day">{day}</h3>
          <ol className="route">
            {ofDay.map((entry) => (
              <ActivityStop key={entry.id} entry={entry} />
            ))}
          </ol>
        </div>
      ))}
      {activity.hasNextPage && (
        <Button busy={activity.isFetchingNextPage} onClick={() => void activity.fetchNextPage()}>
          {t("timeline.older")}
        </Button>
      )}
    </section>
  );
}
