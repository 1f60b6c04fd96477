import { CalendarX2, ChartNoAxesColumn, CircleX, Copy, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CampaignSummary } from "../../../api/openapi.ts";
import type { MenuItem } from "../../../kit/overlays/menu.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { useRowActions } from "./use-row-actions.ts";

type Props = {
  campaign: CampaignSummary;
  /** Both ask first. */
  onCancel: (campaign: CampaignSummary) => void;
  onDelete: (campaign: CampaignSummary) => void;
};

/** Offers what the service wouldn't refuse now. */
export function CampaignMenu({ campaign, onCancel, onDelete }: Props) {
  const { t } = useTranslation();
  const does = useRowActions();
  const { status, allowed_actions: allowed } = campaign;
  const when = (isAllowed: boolean, item: MenuItem) => (isAllowed ? [item] : []);
  // Before anything has left, to cancel is to take off the schedule.
  const isCancelable = allowed.includes("cancel") && status !== "scheduled";
  const items: readonly MenuItem[] = [
    ...when(status !== "draft", {
      label: t("campaigns.open"),
      icon: ChartNoAxesColumn,
      run: () => does.open(campaign),
    }),
    ...when(allowed.includes("update"), {
      label: t("do.edit"),
      icon: Pencil,
      needs: "campaigns:write",
      run: () => does.edit(campaign),
    }),
    ...when(allowed.includes("pause"), {
      label: t("campaigns.pause"),
      icon: Pause,
      needs: "campaigns:send",
      run: () => void does.pause(campaign),
    }),
    ...when(allowed.includes("resume"), {
      label: t("campaigns.resume"),
      icon: Play,
      needs: "campaigns:send",
      run: () => void does.resume(campaign),
    }),
    ...when(allowed.includes("unschedule"), {
      label: t("campaigns.unschedule"),
      icon: CalendarX2,
      needs: "campaigns:send",
      run: () => void does.unschedule(campaign),
    }),
    {
      label: t("campaigns.duplicate"),
      icon: Copy,
      needs: "campaigns:write",
      run: () => void does.duplicate(campaign),
    },
    ...when(isCancelable, {
      label: t("campaigns.cancel"),
      icon: CircleX,
      needs: "campaigns:send",
      danger: true,
      run: () => onCancel(campaign),
    }),
    ...when(allowed.includes("delete"), {
      label: t("campaigns.delete"),
      icon: Trash2,
      needs: "campaigns:write",
      danger: true,
      run: () => onDelete(campaign),
    }),
  ];
  return <RowMenu name={campaign.name} items={items} />;
}
