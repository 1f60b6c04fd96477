/** The way that a person would take, in plain words. */
import { useTranslation } from "react-i18next";
import type { Simulation } from "../../../api/openapi.ts";
import { formatWhen } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { useEditing } from "../editor/editing.ts";
import { STEP_ICONS } from "../editor/step-kinds.ts";
import { sayStep, sayWay } from "../graph/describe.ts";
import { hasWays, typeOf, waysOf } from "../graph/draft.ts";
import { SandboxNote } from "../lifecycle/sandbox-note.tsx";

type Visit = Simulation["path"][number];

export function ShownPath({ simulation: { path, end, sandbox } }: { simulation: Simulation }) {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  return (
    <section className="stack" aria-label={t("simulate.path")}>
      <h3>{t("simulate.path")}</h3>
      <ol className="path">
        {path.map((visit, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a step may come more than once.
          <li key={at}>
            <span className="step-icon">
              <Icon of={STEP_ICONS[typeOf({ type: visit.type }) ?? "unknown"]} />
            </span>
            <span className="stack tight">
              <span className="med" dir="auto">
                {sayStep(graph, visit.node, say)}
              </span>
              <span className="sm mid">
                {formatWhen(visit.arrived_at)} · {reasonOf(visit)}
              </span>
            </span>
          </li>
        ))}
      </ol>
      <p className="note info">{t(`simulate.ends.${end.as}`, { time: formatWhen(end.at) })}</p>
      {sandbox && path.some(({ type }) => type === "email") && <SandboxNote of="tried" />}
    </section>
  );

  function reasonOf(visit: Visit): string {
    const node = graph.nodes[visit.node] ?? {};
    const time = formatWhen(visit.left_at);
    if (visit.type === "email" && visit.reason === "done")
      return visit.left_at === visit.arrived_at
        ? t("simulate.visits.email.done")
        : t("simulate.visits.delayed", { time });
    const way = hasWays(node) ? wayOf(visit) : "";
    return t(`simulate.visits.${visit.reason}`, { time, way });
  }

  function wayOf({ node: id, way }: Visit): string {
    const node = graph.nodes[id] ?? {};
    const key = waysOf(node).find((one) => one.key === way || one.key === `ways/${way}/next`)?.key;
    return key === undefined ? "" : sayWay(node, key, say);
  }
}
