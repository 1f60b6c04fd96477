/** In which automations somebody is, where they stand and when they go on; and in which they were. It comes later than the rest of the page. */
import "../../i18n/later/automations/automations.ts";
import "../../i18n/later/automations/runs.ts";
import "../../i18n/later/automations/steps.ts";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { useMay } from "../../api/may.ts";
import type { AutomationRunOfSubscriber } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { formatTime, formatWhen } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Failure } from "../../kit/states.tsx";
import { useAutomationSay } from "../automations/editor/use-names.ts";
import { sayStep } from "../automations/graph/describe.ts";
import { readGraph } from "../automations/graph/draft.ts";
import { useSayEnd } from "../automations/runs/use-say-end.ts";

const AT_ONCE = 10;

export default function InAutomations({ id }: { id: string }) {
  const { t } = useTranslation();
  const found = useInfiniteQuery({
    queryKey: ["automation_runs", "of", id],
    queryFn: ({ pageParam }) =>
      call("GET /v1/automation_runs", {
        query: { subscriber_id: id, limit: AT_ONCE, ...(pageParam !== "" && { cursor: pageParam }) },
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const runs = (found.data?.pages ?? []).flatMap(({ data }) => data);
  // Nobody needs to be told of what most people never were in.
  if (runs.length === 0 && !found.error) return null;
  return (
    <section className="stack" aria-labelledby="in-automations">
      <h2 id="in-automations">{t("nav.automations")}</h2>
      {found.error && !found.data && (
        <Failure title={t("runs.ofUnreadable")} error={found.error} retry={() => void found.refetch()} />
      )}
      <div className="stack-4">
        {runs.map((run) => (
          <Run key={run.id} run={run} />
        ))}
      </div>
      {found.hasNextPage && (
        <Button size="sm" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
          {t("runs.more")}
        </Button>
      )}
    </section>
  );
}

function Run({ run }: { run: AutomationRunOfSubscriber }) {
  const { t } = useTranslation();
  const may = useMay();
  const sayEnd = useSayEnd();
  const { automation_id: id, automation_name: name, status, key } = run;
  const isInside = status === "active";
  return (
    <div className="stack tight sm">
      <div className="row between">
        {may("automations:read") ? (
          <Link
            to="/automations/$id/people"
            params={{ id }}
            search={{ subscriber: run.subscriber_id, ...(!isInside && { status }) }}
            className="trunc link-u"
            dir="auto"
          >
            {name}
          </Link>
        ) : (
          <span className="trunc" dir="auto">
            {name}
          </span>
        )}
        <span className={isInside ? "badge accent" : "badge"}>
          {isInside ? t("runs.inside") : sayEnd(run.ended_as)}
        </span>
      </div>
      {isInside && may("automations:read") && <Stands run={run} />}
      <span className="xs mid" dir="auto">
        {isInside ? sayNext(run.due_at) : t("runs.endedOn", { time: formatTime(run.ended_at ?? "") })}
        {key !== "" && ` · ${t("runs.key", { key })}`}
      </span>
    </div>
  );

  function sayNext(due: string | null): string {
    return due === null || new Date(due).getTime() <= Date.now()
      ? t("runs.goesOnNow")
      : t("runs.goesOn", { time: formatWhen(due) });
  }
}

/** On which step, as it is called in the version by which they go. */
function Stands({ run: { automation_id: id, version, node } }: { run: AutomationRunOfSubscriber }) {
  const { t } = useTranslation();
  const found = useQuery({
    ...query("GET /v1/automations/{id}/versions/{number}", { path: { id, number: String(version) } }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const graph = useMemo(() => readGraph(found.data?.graph ?? {}), [found.data]);
  const say = useAutomationSay(graph);
  return (
    <span className="xs mid" dir="auto">
      {found.data ? t("runs.standsOn", { step: sayStep(graph, node, say) }) : "…"}
    </span>
  );
}
