/** Beside the canvas: the step that is selected, with the same fields as in the outline; else the whole automation. */
import { Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { useEditing } from "../editor/editing.ts";
import { FaultList } from "../editor/fault-list.tsx";
import { hasNoField, StepFaults } from "../editor/outline-list.tsx";
import { EntryItem, ExitsItem, SendItem } from "../editor/sections.tsx";
import { STEP_ICONS } from "../editor/step-kinds.ts";
import { StepMenu } from "../editor/step-menu.tsx";
import { sayStep } from "../graph/describe.ts";
import { typeOf } from "../graph/draft.ts";
import { StepCounts } from "../lifecycle/step-counts.tsx";
import { StepStats } from "../lifecycle/step-stats.tsx";
import { StepFields } from "../steps/step-fields.tsx";

export function Panel({ heading }: { heading: RefObject<HTMLHeadingElement | null> }) {
  const { t } = useTranslation();
  const { open, show, graph, isLocked, focusOn } = useEditing();
  const id = open?.startsWith("step:") ? open.slice("step:".length) : undefined;
  const isThere = id !== undefined && Object.hasOwn(graph.nodes, id);
  const close = () => {
    show(undefined);
    if (open) focusOn(id ?? open);
  };
  return (
    <aside
      className="canvas-panel"
      aria-label={t("canvas.panel")}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented && open) close();
      }}
    >
      {isThere ? (
        <StepPanel key={id} id={id} heading={heading} onClose={close} />
      ) : (
        <fieldset className="automation-main" disabled={isLocked}>
          <h2 ref={heading} className="automation-heading" tabIndex={-1}>
            {t("canvas.whole")}
          </h2>
          <ul className="steps sections" aria-label={t("automations.outline.before")}>
            <EntryItem />
            <ExitsItem />
            <SendItem />
          </ul>
          <FaultList />
          <p className="xs dim">{t("canvas.keys")}</p>
        </fieldset>
      )}
    </aside>
  );
}

function StepPanel({
  id,
  heading,
  onClose,
}: {
  id: string;
  heading: RefObject<HTMLHeadingElement | null>;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const { automationId, graph, say, faults, isLocked, counts } = useEditing();
  const may = useMay();
  const type = typeOf(graph.nodes[id]) ?? "unknown";
  const called = sayStep(graph, id, say);
  return (
    <>
      <div className="canvas-panel-head">
        <span className="c-accent">
          <Icon of={STEP_ICONS[type]} />
        </span>
        <h2 ref={heading} className="grow" tabIndex={-1} dir="auto">
          {called}
        </h2>
        <StepMenu id={id} called={called} />
        <Button kind="quiet" size="sm" icon={X} aria-label={t("canvas.close")} onClick={onClose} />
      </div>
      <StepStats id={id} />
      <div className="stack tight">
        <StepCounts id={id} brief />
        {may("subscribers:read") && (counts?.steps.get(id)?.waiting ?? 0) > 0 && (
          <Link
            className="sm"
            to="/automations/$id/people"
            params={{ id: automationId }}
            search={{ node: id }}
          >
            {t("canvas.whoIsHere")}
          </Link>
        )}
      </div>
      <StepFaults faults={faults.get(`step:${id}`)?.filter(({ part }) => hasNoField(part))} />
      <fieldset className="automation-main" disabled={isLocked}>
        <legend className="sr">{called}</legend>
        <StepFields id={id} />
      </fieldset>
    </>
  );
}
