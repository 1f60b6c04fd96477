/** The numbers at a step, and at the ways out of it. */
import { useTranslation } from "react-i18next";
import { formatNumber, formatShare } from "../../../i18n/format.ts";
import { useEditing } from "../editor/editing.ts";
import { sumOf, takenOf } from "./use-counts.ts";

export function StepCounts({ id }: { id: string }) {
  const { t } = useTranslation();
  const { counts } = useEditing();
  const step = counts?.steps.get(id);
  const mail = counts?.mails.get(id);
  if (!step || step.entered === 0) return null;
  const exited = sumOf(step.exited);
  const said = [
    t("lifecycle.counts.came", { number: formatNumber(step.entered) }),
    ...(step.waiting > 0 ? [t("lifecycle.counts.here", { number: formatNumber(step.waiting) })] : []),
    ...(mail && mail.sent > 0
      ? [
          t("lifecycle.counts.sent", { number: formatNumber(mail.sent) }),
          t("lifecycle.counts.opened", { share: formatShare(mail.human_opens / mail.sent) }),
          t("lifecycle.counts.clicked", { share: formatShare(mail.human_clicks / mail.sent) }),
        ]
      : []),
    ...(exited > 0 ? [t("lifecycle.counts.exited", { number: formatNumber(exited) })] : []),
  ];
  return <span className="sm mid">{said.join(" · ")}</span>;
}

/** How many took this way, and which share of those who left the step by one. */
export function WayCounts({ id, way }: { id: string; way: string }) {
  const { t } = useTranslation();
  const { counts } = useEditing();
  const all = sumOf(counts?.steps.get(id)?.left ?? {});
  if (!counts || all === 0) return null;
  const taken = takenOf(counts, id, way);
  return (
    <span className="mid">
      {t("lifecycle.counts.way", { number: formatNumber(taken), share: formatShare(taken / all) })}
    </span>
  );
}
