/** The people in an automation: who is inside and on which step, who went through, and who left early. */
import "../../../i18n/later/automations/automations.ts";
import "../../../i18n/later/automations/lifecycle.ts";
import "../../../i18n/later/automations/runs.ts";
import "../../../i18n/later/automations/steps.ts";
import "../../../i18n/later/writing/mail-preview.ts";
import "../../campaigns/composer/preview/preview.css";
import "../automations.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { UserPlus } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Automation } from "../../../api/openapi.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField } from "../../../kit/forms/field.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { AsWhom } from "../../campaigns/composer/preview/as-whom.tsx";
import { AutomationTabs } from "../editor/automation-tabs.tsx";
import { jsonIn, listIn } from "../graph/draft.ts";
import { Status } from "../lifecycle/status.tsx";
import { statsQuery } from "../lifecycle/use-counts.ts";
import type { RunsSearch } from "../search.ts";
import { Journal } from "./journal.tsx";
import { RunTable } from "./run-table.tsx";
import { useLiveSteps } from "./use-live-steps.ts";

const Enrol = lazyPart(() => import("../enrol/enrol.tsx"));

const route = getRouteApi("/signed-in/automations/$id/people");
const EVERY_MS = 10_000;
/** Each row asks for its person. */
const ROWS = 25;

export function Runs() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const found = useQuery(query("GET /v1/automations/{id}", { path: { id } }));
  const crumb = { label: t("nav.automations"), to: "/automations" } as const;
  if (found.data) return <People automation={found.data} />;
  return (
    <>
      <PageHead title={t("automations.one.title")} crumb={crumb} />
      {found.error ? (
        <Failure
          title={t("automations.one.unreadable")}
          error={found.error}
          retry={() => void found.refetch()}
        />
      ) : (
        <SkeletonLines />
      )}
    </>
  );
}

/** Nobody can be put into an automation whose version has no trigger for that, so it isn't offered there. */
function EnrolButton({ automation }: { automation: Automation }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon={UserPlus} needs="automations:send" onClick={() => setOpen(true)}>
        {t("runs.enrol")}
      </Button>
      <Suspense>{isOpen && <Enrol automation={automation} onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}

function People({ automation }: { automation: Automation }) {
  const { t } = useTranslation();
  const { id, name, list_id: listId } = automation;
  const { status = "active", node, subscriber, cursor, run } = route.useSearch();
  const navigate = route.useNavigate();
  const steps = useLiveSteps(automation);
  const go = (next: Partial<RunsSearch>) =>
    void navigate({ search: (before) => ({ ...before, cursor: undefined, ...next }), resetScroll: false });
  const found = useQuery({
    ...pageQuery("GET /v1/automations/{id}/runs", {
      path: { id },
      query: {
        status,
        limit: ROWS,
        ...(node && { node }),
        ...(subscriber && { subscriber_id: subscriber }),
        ...(cursor && { cursor }),
      },
    }),
    refetchInterval: EVERY_MS,
  });
  const canEnrol =
    (automation.status === "live" || automation.status === "paused") &&
    automation.live_version !== null &&
    listIn(jsonIn(steps.graph["entry"])["on"]).some(({ type }) => type === "manual");
  const isNarrowed = node !== undefined || subscriber !== undefined;
  const { data: stats } = useQuery({ ...statsQuery(id), enabled: automation.live_version !== null });
  // People may stand on a step that the version doesn't have any more, until they go on.
  const former = (stats?.nodes ?? []).filter(({ waiting }) => waiting > 0).map((one) => one.node);
  const known = [...new Set([...steps.ids, ...former, ...(node === undefined ? [] : [node])])];
  return (
    <>
      <PageHead
        title={name}
        tabTitle={t("runs.title", { name })}
        crumb={{ label: t("nav.automations"), to: "/automations" }}
        sub={<Status status={automation.status} />}
        actions={canEnrol && <EnrolButton automation={automation} />}
      />
      <AutomationTabs id={id} />
      <div className="table-tools runs-tools">
        <SelectField
          name="status"
          label={t("runs.status.label")}
          value={status}
          options={(["active", "completed", "exited"] as const).map((value) => ({
            value,
            label: t(`runs.status.${value}`),
          }))}
          onChange={({ target }) => go({ status: target.value as typeof status })}
        />
        <SelectField
          name="node"
          label={t("runs.step")}
          value={node ?? ""}
          options={[
            { value: "", label: t("runs.anyStep") },
            ...known.map((value) => ({ value, label: steps.nameOf(value) })),
          ]}
          onChange={({ target }) => go({ node: target.value || undefined })}
        />
        <div className="runs-who">
          <AsWhom
            listId={listId}
            subscriberId={subscriber ?? null}
            onSubscriber={(next) => go({ subscriber: next ?? undefined })}
            label={t("runs.subscriber")}
            nobody={t("runs.everybody")}
          />
        </div>
      </div>
      <Listing
        result={found}
        unreadable={t("runs.unreadable")}
        empty={
          isNarrowed ? (
            <Empty title={t("runs.noneMatch")} text={t("runs.noneMatchText")}>
              <Button onClick={() => go({ node: undefined, subscriber: undefined })}>
                {t("runs.clear")}
              </Button>
            </Empty>
          ) : (
            <Empty title={t(`runs.none.${status}`)} text={t("runs.noneText")} />
          )
        }
      >
        {(rows, page) => (
          <>
            <RunTable
              runs={rows}
              steps={steps}
              status={status}
              onJournal={(one) => go({ run: one, cursor })}
            />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {run && <Journal id={run} steps={steps} onClose={() => go({ run: undefined, cursor })} />}
    </>
  );
}
