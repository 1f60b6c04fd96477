import { Link, useNavigate } from "@tanstack/react-router";
import { Copy, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { AutomationSummary } from "../../../api/openapi.ts";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { useWho } from "../../../kit/who.ts";
import { useLists } from "../../subscribers/reference-data.ts";
import { Status } from "../lifecycle/status.tsx";
import { RowCounts } from "./row-counts.tsx";
import { useDuplicate } from "./use-duplicate.ts";

type Props = {
  automations: readonly AutomationSummary[];
  onDelete: (automation: AutomationSummary) => void;
};

export function AutomationTable({ automations, onDelete }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const nameOf = useWho();
  const lists = useLists();
  const duplicate = useDuplicate();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("automations.name")}</th>
            <th>{t("automations.state")}</th>
            <th>{t("automations.people")}</th>
            <th>{t("automations.list")}</th>
            <th>{t("automations.changed")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {automations.map((automation) => {
            const { id, name, list_id, updated_at, updated_by } = automation;
            return (
              <tr key={id}>
                <td className="c-main">
                  <Link to="/automations/$id" params={{ id }} className="med cell-text" dir="auto">
                    {name}
                  </Link>
                </td>
                <td data-label={t("automations.state")}>
                  <Status status={automation.status} />
                </td>
                <td data-label={t("automations.people")}>
                  <RowCounts automation={automation} />
                </td>
                <td className="mid" data-label={t("automations.list")}>
                  <span className="cell-text" dir="auto">
                    {lists.find((one) => one.id === list_id)?.name ?? t("automations.goneList")}
                  </span>
                </td>
                <td className="dim" data-label={t("automations.changed")}>
                  <span className="stack tight">
                    <Time at={updated_at} />
                    <span className="xs cell-text" dir="auto">
                      {nameOf(updated_by)}
                    </span>
                  </span>
                </td>
                <td className="r c-menu">
                  <RowMenu
                    needs="automations:write"
                    name={name}
                    items={[
                      {
                        label: t("do.edit"),
                        icon: Pencil,
                        run: () => void navigate({ to: "/automations/$id", params: { id } }),
                      },
                      {
                        label: t("automations.duplicate"),
                        icon: Copy,
                        run: () => void duplicate(automation),
                      },
                      ...(automation.allowed_actions.includes("delete")
                        ? [
                            {
                              label: t("do.delete"),
                              icon: Trash2,
                              danger: true,
                              run: () => onDelete(automation),
                            },
                          ]
                        : []),
                    ]}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
