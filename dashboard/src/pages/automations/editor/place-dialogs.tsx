/** Moves a step anywhere, and leads a way elsewhere. */
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SelectField } from "../../../kit/forms/field.tsx";
import { FormDialog } from "../../../kit/overlays/dialog.tsx";
import { sayStep, sayWay } from "../graph/describe.ts";
import { hasWays, lead, type Slot, targetOf } from "../graph/draft.ts";
import { moveTo, placesFor } from "../graph/edit-graph.ts";
import { allSteps, type Place } from "../graph/outline.ts";
import { useEditing } from "./editing.ts";

export function MoveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useTranslation();
  const { graph, change, focusOn, say } = useEditing();
  const places = placesFor(graph, id);
  const nameOf = (one: string) => sayStep(graph, one, say);
  const labelOf = ({ before, after, gap }: Place): string => {
    if (after !== undefined) return t("automations.outline.moveAfter", { step: nameOf(after) });
    const [slot] = gap.slots;
    const from = slot?.node ? graph.nodes[slot.node] : undefined;
    if (slot && from) return `${nameOf(slot.node ?? "")}: ${sayWay(from, slot.key, say)}`;
    return before === undefined
      ? t("automations.outline.moveAtStart")
      : t("automations.outline.moveBefore", { step: nameOf(before) });
  };
  return (
    <FormDialog
      title={t("automations.outline.moveTitle", { step: nameOf(id) })}
      lead={t("automations.outline.moveLead")}
      action={t("automations.outline.moveAction")}
      onClose={onClose}
      submit={async (values) => {
        const place = places[Number(values.text("place"))];
        if (place) change(moveTo(graph, id, place.gap));
        onClose();
        focusOn(id);
      }}
    >
      <SelectField
        name="place"
        label={t("automations.outline.moveWhere")}
        options={places.map((place, at) => ({ value: String(at), label: labelOf(place) }))}
      />
    </FormDialog>
  );
}

/** Each of the ways is led to a step that is chosen. */
export function LeadDialog({ slots, onClose }: { slots: readonly Slot[]; onClose: () => void }) {
  const { t } = useTranslation();
  const { graph, outline, change, say } = useEditing();
  const [from] = slots;
  const node = from?.node ? graph.nodes[from.node] : undefined;
  const options = allSteps(outline)
    .filter(({ id }) => id !== from?.node)
    .map(({ id }) => ({ value: id, label: sayStep(graph, id, say) }));
  const [chosen, setChosen] = useState(() => slots.map((slot) => targetOf(graph, slot)));
  return (
    <FormDialog
      title={t("automations.outline.leadTitle")}
      lead={t("automations.outline.leadLead", { step: from?.node ? sayStep(graph, from.node, say) : "…" })}
      action={t("automations.outline.leadAction")}
      onClose={onClose}
      submit={async () => {
        let next = graph;
        for (const [at, slot] of slots.entries()) next = lead(next, [slot], chosen[at] ?? "");
        change(next);
        onClose();
      }}
    >
      {slots.map((slot, at) => (
        <SelectField
          key={`${slot.node}/${slot.key}`}
          name={`to-${at}`}
          label={node && hasWays(node) ? sayWay(node, slot.key, say) : t("automations.outline.leadTarget")}
          value={chosen[at] ?? ""}
          options={
            options.some(({ value }) => value === chosen[at])
              ? options
              : [{ value: chosen[at] ?? "", label: "…" }, ...options]
          }
          onChange={({ target }) =>
            setChosen(chosen.map((one, index) => (index === at ? target.value : one)))
          }
        />
      ))}
    </FormDialog>
  );
}
