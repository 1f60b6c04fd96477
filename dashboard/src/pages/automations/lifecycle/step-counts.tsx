/** The numbers at a step, and at the ways out of it. */
import { useTranslation } from "react-i18next";
import { formatNumber, formatShare } from "../../../i18n/format.ts";
import { useEditing } from "../editor/editing.ts";
import { hasGoals, sumOf, takenOf } from "./use-counts.ts";

/** In brief it says nothing of what is counted in full beside it. */
export function StepCounts({ id, brief = false }: { id: string; brief?: boolean }) {
  const { t } = useTranslation();
  const { counts } = useEditing();
  const step = counts?.steps.get(id);
  const mail = brief ? undefined : counts?.mails.get(id);
  const goal = brief ? undefined : counts?.goals.get(id);
  if (!step || step.entered === 0) return null;
  const exited = sumOf(step.exited);
  const said = [
    t("lifecycle.counts.came", { number: formatNumber(step.entered) }),
    ...(step.waiting > 0 ? [t("lifecycle.counts.here", { number: formatNumber(step.waiting) })] : []),
    ...(mail && mail.sent > 0
      ? [
          t("lifecycle.counts.sent", { number: formatNumber(mail.sent) }),
          ...(["open", "click"] as const).flatMap((what) => {
            const rate = mail.rates[what];
            return rate === null ? [] : [t(`lifecycle.counts.${what}ed`, { share: formatShare(rate) })];
          }),
        ]
      : []),
    ...(goal ? [t("lifecycle.counts.reached", { share: formatShare(goal.conversion) })] : []),
    ...(exited > 0 ? [t("lifecycle.counts.exited", { number: formatNumber(exited) })] : []),
  ];
  return <span className="sm mid">{said.join(" · ")}</span>;
}

/** How many took this way, and which share of those who left the step by one. */
export function WayCounts({ id, way, brief = false }: { id: string; way: string; brief?: boolean }) {
  const { t } = useTranslation();
  const { counts } = useEditing();
  const all = sumOf(counts?.steps.get(id)?.left ?? {});
  if (!counts || all === 0) return null;
  const taken = takenOf(counts, id, way);
  const said = t("lifecycle.counts.way", { number: formatNumber(taken), share: formatShare(taken / all) });
  const split = counts.splits.get(id)?.[Number(/^ways\/(\d+)\/next$/.exec(way)?.[1])];
  const reached =
    !brief && split && taken > 0 && hasGoals(counts)
      ? ` · ${t("lifecycle.counts.ofWay", { share: formatShare(split.conversion) })}`
      : "";
  return (
    <span className="mid">
      {said}
      {reached}
    </span>
  );
}
