/** The way that somebody has come: every step that they left, when, and why. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { AutomationRun } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber, formatWhen } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { Drawer } from "../../../kit/overlays/drawer.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { STEP_ICONS } from "../editor/step-kinds.ts";
import { sayWay } from "../graph/describe.ts";
import { typeOf, waysOf } from "../graph/draft.ts";
import type { LiveSteps } from "./use-live-steps.ts";
import { usePerson } from "./use-person.ts";
import { useSayEnd } from "./use-say-end.ts";

type Props = { id: string; steps: LiveSteps; onClose: () => void };

export function Journal({ id, steps, onClose }: Props) {
  const { t } = useTranslation();
  const found = useQuery(query("GET /v1/automation_runs/{id}", { path: { id } }));
  const { name = "…" } = usePerson(found.data?.subscriber_id);
  return (
    <Drawer title={t("runs.journalTitle", { name })} onClose={onClose}>
      {found.data ? (
        <Visits run={found.data} steps={steps} />
      ) : found.error ? (
        <Failure title={t("runs.unreadable")} error={found.error} retry={() => void found.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </Drawer>
  );
}

type Visit = AutomationRun["journal"][number];

const REASONS = [
  "done",
  "waited",
  "happened",
  "timeout",
  "rule",
  "share",
  "goal",
  "exit",
  "end",
  "skipped",
  "moved",
] as const;

function Visits({ run, steps }: { run: AutomationRun; steps: LiveSteps }) {
  const { t } = useTranslation();
  const sayEnd = useSayEnd();
  const reasonOf = ({ reason, node: id, way }: Visit): string => {
    const known = REASONS.find((one) => one === reason);
    if (!known) return t("runs.reasons.other", { reason });
    const node = steps.graph.nodes[id] ?? {};
    const key = waysOf(node).find((one) => one.key === way || one.key === `ways/${way}/next`)?.key;
    return t(`runs.reasons.${known}`, { way: key === undefined ? "…" : sayWay(node, key, steps.say) });
  };
  return (
    <>
      {run.journal.length === 0 && run.status === "active" && <p className="mid">{t("runs.journalNone")}</p>}
      <ol className="path">
        {run.journal.map((visit) => (
          <VisitItem key={visit.visit} node={visit.node} steps={steps}>
            {t("runs.visit", { from: formatWhen(visit.arrived_at), to: formatWhen(visit.left_at) })}
            {visit.version !== run.version &&
              ` · ${t("runs.version", { number: formatNumber(visit.version) })}`}
            {` · ${reasonOf(visit)}`}
          </VisitItem>
        ))}
        {run.status === "active" && (
          <VisitItem node={run.node} steps={steps}>
            {t("runs.hereNow", { time: formatWhen(run.arrived_at) })}
          </VisitItem>
        )}
      </ol>
      {run.ended_at !== null && (
        <p className="note info">
          {sayEnd(run.ended_as)} · {formatWhen(run.ended_at)}
        </p>
      )}
    </>
  );
}

function VisitItem({ node, steps, children }: { node: string; steps: LiveSteps; children: ReactNode }) {
  return (
    <li>
      <span className="step-icon">
        <Icon of={STEP_ICONS[typeOf(steps.graph.nodes[node]) ?? "unknown"]} />
      </span>
      <span className="stack tight">
        <span className="med" dir="auto">
          {steps.nameOf(node)}
        </span>
        <span className="sm mid">{children}</span>
      </span>
    </li>
  );
}
