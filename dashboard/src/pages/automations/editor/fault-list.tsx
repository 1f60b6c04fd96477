/** All faults of the draft together; each leads to its place. */
import { CircleAlert, CircleCheck } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { sayStep } from "../graph/describe.ts";
import type { FaultPlace } from "../graph/faults.ts";
import { useEditing } from "./editing.ts";

export function FaultList() {
  const { t } = useTranslation();
  const { faults, graph, say, show, focusOn } = useEditing();
  const nameOf = (place: FaultPlace): string => {
    if (place === "draft") return t("automations.outline.general");
    if (place === "entry" || place === "send") return t(`automations.outline.${place}`);
    if (place === "exit") return t("automations.outline.exits");
    return sayStep(graph, place.slice("step:".length), say);
  };
  if (faults.size === 0)
    return (
      <p className="sm mid row" role="status">
        <span className="c-accent">
          <Icon of={CircleCheck} size="sm" />
        </span>
        {t("automations.outline.noFaults")}
      </p>
    );
  return (
    <section className="panel fault-list" aria-label={t("automations.outline.faults")}>
      <h2 className="sm med">{t("automations.outline.faults")}</h2>
      <ul className="stack tight">
        {[...faults].flatMap(([place, found]) =>
          found.map(({ part, code, detail }) => (
            <li key={place + part + code} className="err">
              <Icon of={CircleAlert} size="sm" />
              {place === "draft" ? (
                <span>{sentence(detail)}</span>
              ) : (
                <button
                  type="button"
                  className="text-button danger"
                  onClick={() => {
                    show(place);
                    focusOn(place.startsWith("step:") ? place.slice("step:".length) : place);
                  }}
                >
                  {t("automations.outline.faultAt", { place: nameOf(place), detail: sentence(detail) })}
                </button>
              )}
            </li>
          )),
        )}
      </ul>
    </section>
  );
}
