import { Link } from "@tanstack/react-router";
import { Pause, Pencil } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignSummary } from "../../../api/openapi.ts";
import { formatShare } from "../../../i18n/format.ts";
import { SortHead } from "../../../kit/tables/sort-head.tsx";
import { Time } from "../../../kit/time.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { focusedRow, useRowKeys } from "../../../shell/row-keys.ts";
import { useLists } from "../../subscribers/reference-data.ts";
import type { Sort } from "../search.ts";
import { SmallTally } from "../tally/tally.tsx";
import { CampaignMenu } from "./campaign-menu.tsx";
import { CancelCampaign, DeleteDraft } from "./ending-dialogs.tsx";
import { StateCell } from "./state-cell.tsx";
import { useCampaignAhead } from "./use-campaign-ahead.ts";
import { useRowActions } from "./use-row-actions.ts";

type TableProps = { rows: readonly CampaignSummary[]; sort: Sort; onSort: (sort: Sort) => void };

export function CampaignTable({ rows, sort, onSort }: TableProps) {
  const { t } = useTranslation();
  const [canceling, setCanceling] = useState<CampaignSummary>();
  const [deleting, setDeleting] = useState<CampaignSummary>();
  const body = useRowKeys();
  useKeysOfRow(() => rows[focusedRow(body.current)]);
  const sorted = { sort, onSort };
  return (
    <>
      <div className="tw">
        <table className="table-edge campaign-table">
          <thead>
            <tr>
              <SortHead className="c-main" sorts={["name", "-name"]} {...sorted}>
                {t("campaigns.one")}
              </SortHead>
              <th className="c-state">{t("campaigns.status")}</th>
              <th className="c-people">{t("campaigns.recipients")}</th>
              <th className="num c-rate">{t("campaigns.opened")}</th>
              <th className="num c-rate">{t("campaigns.clicked")}</th>
              <SortHead className="num c-changed" sorts={["-updated_at", "updated_at"]} {...sorted}>
                {t("campaigns.changed")}
              </SortHead>
              <th className="c-menu">
                <span className="sr">{t("do.more")}</span>
              </th>
            </tr>
          </thead>
          <tbody ref={body}>
            {rows.map((row) => (
              <Row key={row.id} row={row} onCancel={setCanceling} onDelete={setDeleting} />
            ))}
          </tbody>
        </table>
      </div>
      <p className="xs dim campaign-note">{t("home.people")}</p>
      {canceling && <CancelCampaign campaign={canceling} onClose={() => setCanceling(undefined)} />}
      {deleting && <DeleteDraft campaign={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

/** `e` edits the row that has the focus, and `p` pauses or resumes it. */
function useKeysOfRow(rowNow: () => CampaignSummary | undefined): void {
  const { t } = useTranslation();
  const does = useRowActions();
  useRegisterActions([
    {
      id: "row-edit",
      label: t("campaigns.editRow"),
      icon: Pencil,
      keys: "e",
      run: () => {
        const row = rowNow();
        if (row?.allowed_actions.includes("update")) does.edit(row);
      },
    },
    {
      id: "row-pause",
      label: t("campaigns.pauseRow"),
      icon: Pause,
      keys: "p",
      run: () => {
        const row = rowNow();
        if (row?.allowed_actions.includes("pause")) void does.pause(row);
        else if (row?.allowed_actions.includes("resume")) void does.resume(row);
      },
    },
  ]);
}

type RowProps = {
  row: CampaignSummary;
  onCancel: (campaign: CampaignSummary) => void;
  onDelete: (campaign: CampaignSummary) => void;
};

function Row({ row, onCancel, onDelete }: RowProps) {
  const { t } = useTranslation();
  const { id, name, subject, stats, status, updated_at } = row;
  const fetchAhead = useCampaignAhead();
  // A draft opens where it is written.
  const ahead = status === "draft" ? undefined : () => fetchAhead(id);
  return (
    <tr>
      <td className="c-main">
        <div className="two-lines">
          <Link
            to="/campaigns/$id"
            params={{ id }}
            className="med trunc"
            dir="auto"
            data-row
            onPointerEnter={ahead}
            onFocus={ahead}
          >
            {name}
          </Link>
          <span className="sm dim trunc" dir="auto">
            {subject}
          </span>
        </div>
      </td>
      <td className="c-state">
        <StateCell campaign={row} />
      </td>
      <td className="c-people">
        {stats && stats.recipients > 0 ? <SmallTally stats={stats} /> : <Audience campaign={row} />}
      </td>
      <Rate of={stats?.rates.open} stats={stats} label={t("campaigns.opened")} />
      <Rate of={stats?.rates.click} stats={stats} label={t("campaigns.clicked")} />
      <td className="num dim c-changed">
        <Time at={updated_at} />
      </td>
      <td className="r c-menu">
        <CampaignMenu campaign={row} onCancel={onCancel} onDelete={onDelete} />
      </td>
    </tr>
  );
}

type RateProps = { of: number | null | undefined; stats: CampaignSummary["stats"]; label: string };

/** Nobody can open what nobody has. */
function Rate({ of: rate, stats, label }: RateProps) {
  const isKnown = rate !== null && rate !== undefined && stats !== null && (stats?.delivered ?? 0) > 0;
  return (
    <td className="num c-rate" data-label={label}>
      {isKnown ? formatShare(rate) : <span className="dim">–</span>}
    </td>
  );
}

/** Before it is launched nobody knows how many they will be; whom it is for is known. */
function Audience({ campaign }: { campaign: CampaignSummary }) {
  const { t } = useTranslation();
  const lists = useLists();
  if (campaign.stats) return <span className="xs num dim">{t("campaigns.nobody")}</span>;
  const list = lists.find(({ id }) => id === campaign.list_id)?.name;
  if (!list) return null;
  return (
    <span className="xs dim audience-cell" dir="auto">
      {campaign.segment_id ? t("campaigns.partOf", { list }) : list}
    </span>
  );
}
