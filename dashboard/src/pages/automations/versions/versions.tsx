/** The versions of an automation, and any two of them, or the draft, held against each other. */
import "../../../i18n/later/automations/automations.ts";
import "../../../i18n/later/automations/lifecycle.ts";
import "../../../i18n/later/automations/runs.ts";
import "../../../i18n/later/automations/steps.ts";
import "../../../i18n/later/automations/versions.ts";
import "../automations.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Automation, AutomationVersionSummary } from "../../../api/openapi.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField } from "../../../kit/forms/field.tsx";
import { PageHead } from "../../../kit/page.tsx";
import { Empty, Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { Time } from "../../../kit/time.tsx";
import { useWho } from "../../../kit/who.ts";
import { AutomationTabs } from "../editor/automation-tabs.tsx";
import { type Graph, readGraph } from "../graph/draft.ts";
import { Status } from "../lifecycle/status.tsx";
import { ShownDifferences } from "./shown-differences.tsx";

const route = getRouteApi("/signed-in/automations/$id/versions");

export function Versions() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const found = useQuery(query("GET /v1/automations/{id}", { path: { id } }));
  if (found.data) return <VersionsOf automation={found.data} />;
  return (
    <>
      <PageHead
        title={t("automations.one.title")}
        crumb={{ label: t("nav.automations"), to: "/automations" }}
      />
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

function VersionsOf({ automation }: { automation: Automation }) {
  const { t } = useTranslation();
  const { id, name } = automation;
  const { cursor } = route.useSearch();
  const found = useQuery(
    pageQuery("GET /v1/automations/{id}/versions", { path: { id }, query: { ...(cursor && { cursor }) } }),
  );
  return (
    <>
      <PageHead
        title={name}
        tabTitle={t("versions.title", { name })}
        crumb={{ label: t("nav.automations"), to: "/automations" }}
        sub={<Status status={automation.status} />}
      />
      <AutomationTabs id={id} />
      <Listing
        result={found}
        unreadable={t("versions.unreadable")}
        empty={<Empty title={t("versions.none")} text={t("versions.noneText")} />}
      >
        {(rows, page) => (
          <>
            <Comparison automation={automation} versions={rows} />
            <VersionTable versions={rows} live={automation.live_version} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
    </>
  );
}

type ComparisonProps = { automation: Automation; versions: readonly AutomationVersionSummary[] };

function Comparison({ automation, versions }: ComparisonProps) {
  const { t } = useTranslation();
  const { live_version: live } = automation;
  const { from: askedFrom, to: askedTo } = route.useSearch();
  const navigate = route.useNavigate();
  const numbers = versions.map(({ number }) => String(number));
  const from = askedFrom ?? String(live ?? numbers[0] ?? "");
  const to = askedTo ?? "draft";
  const options = [...new Set([from, to, ...numbers])]
    .filter((one) => one !== "draft")
    .toSorted((a, b) => Number(b) - Number(a))
    .map((value) => ({ value, label: t("versions.one", { number: formatNumber(Number(value)) }) }));
  const all = [{ value: "draft", label: t("versions.draft") }, ...options];
  const go = (next: { from?: string; to?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false });
  const before = useGraph(automation, from);
  const after = useGraph(automation, to);
  const failed = before.error ?? after.error;
  return (
    <section className="versions-compare" aria-label={t("versions.compare")}>
      <div className="row wrap runs-tools">
        <SelectField
          name="from"
          label={t("versions.from")}
          value={from}
          options={all}
          onChange={({ target }) => go({ from: target.value })}
        />
        <SelectField
          name="to"
          label={t("versions.to")}
          value={to}
          options={all}
          onChange={({ target }) => go({ to: target.value })}
        />
      </div>
      {before.graph && after.graph ? (
        <ShownDifferences before={before.graph} after={after.graph} listId={automation.list_id} />
      ) : failed ? (
        <Failure
          title={t("versions.unreadable")}
          error={failed}
          retry={() => {
            before.retry();
            after.retry();
          }}
        />
      ) : (
        <SkeletonLines />
      )}
    </section>
  );
}

/** What a version says, or the draft. */
function useGraph({ id, draft }: Automation, which: string) {
  const isDraft = which === "draft";
  const found = useQuery({
    ...query("GET /v1/automations/{id}/versions/{number}", { path: { id, number: which } }),
    enabled: !isDraft,
  });
  const json = isDraft ? draft : found.data?.graph;
  const graph = useMemo<Graph | undefined>(() => json && readGraph(json), [json]);
  return { graph, error: isDraft ? null : found.error, retry: () => void found.refetch() };
}

function VersionTable({
  versions,
  live,
}: {
  versions: readonly AutomationVersionSummary[];
  live: number | null;
}) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const navigate = route.useNavigate();
  return (
    <div className="tw">
      <table className="table-edge stacked tall" aria-label={t("versions.list")}>
        <thead>
          <tr>
            <th>{t("versions.number")}</th>
            <th>{t("versions.published")}</th>
            <th>{t("versions.by")}</th>
            <th>{t("versions.people")}</th>
            <th>
              <span className="sr">{t("versions.compare")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map(({ number, published_at, published_by, people, sandbox }) => (
            <tr key={number}>
              <td className="c-main">
                <span className="row">
                  <span className="med">{t("versions.one", { number: formatNumber(number) })}</span>
                  {number === live && <span className="badge accent">{t("versions.live")}</span>}
                  {sandbox && <span className="badge warn">{t("versions.sandbox")}</span>}
                </span>
              </td>
              <td data-label={t("versions.published")}>
                <Time at={published_at} />
              </td>
              <td className="mid" data-label={t("versions.by")}>
                {nameOf({ ...published_by, name: null })}
              </td>
              <td className="mid" data-label={t("versions.people")}>
                {t(`versions.${people}`)}
              </td>
              <td className="r">
                {number > 1 && (
                  <Button
                    size="sm"
                    aria-label={t("versions.compareThis", { number: formatNumber(number) })}
                    onClick={() =>
                      void navigate({
                        search: (before) => ({ ...before, from: String(number - 1), to: String(number) }),
                      })
                    }
                  >
                    {t("versions.compare")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
