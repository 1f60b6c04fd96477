/** Domains whose mail suddenly bounced: nobody is suppressed until somebody decides whether it was the domain's own fault. */
import "../../../i18n/later/inbound.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { CircleSlash, CloudLightning, type LucideIcon, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { BounceStorm } from "../../../api/openapi.ts";
import { pageQuery } from "../../../api/queries.ts";
import { formatFineShare, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { ListPage } from "../../../kit/tables/list-page.tsx";
import { Time } from "../../../kit/time.tsx";
import { InboundFilter } from "../inbound-filter.tsx";
import { InboundTabs } from "../inbound-tabs.tsx";
import { STORMS_SHOWN } from "../search.ts";
import { DecideStorm, type Decision } from "./decide-storm.tsx";

const route = getRouteApi("/signed-in/inbound/storms");

type Open = { readonly storm: BounceStorm; readonly decision: Decision };

export function Storms() {
  const { t } = useTranslation();
  const { show, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const query = { ...(show && { status: show }), ...(cursor && { cursor }) };
  const found = useQuery(pageQuery("GET /v1/inbound/storms", { query }));
  const tools = (
    <>
      <InboundTabs />
      <InboundFilter
        choices={STORMS_SHOWN}
        labelOf={(one) => t(`inbound.storms.states.${one}`)}
        value={show}
        onChoose={(next) => void navigate({ search: { show: next, cursor: undefined } })}
      />
    </>
  );
  return (
    <>
      <ListPage
        title={t("inbound.storms.title")}
        lead={t("inbound.storms.lead")}
        tools={tools}
        result={found}
        cursor={cursor}
        unreadable={t("inbound.storms.unreadable")}
        none={t("inbound.storms.none")}
        noneText={show ? t("inbound.storms.noneMatch") : t("inbound.storms.noneText")}
      >
        {(rows) => <StormTable storms={rows} onOpen={setOpen} />}
      </ListPage>
      {open && <DecideStorm {...open} onClose={() => setOpen(null)} />}
    </>
  );
}

type TableProps = { storms: readonly BounceStorm[]; onOpen: (open: Open) => void };

function StormTable({ storms, onOpen }: TableProps) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("inbound.storms.domain")}</th>
            <th>{t("inbound.storms.state")}</th>
            <th className="num">{t("inbound.storms.held")}</th>
            <th className="num">{t("inbound.at")}</th>
            <th>
              <span className="sr">{t("inbound.storms.decide")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {storms.map((storm) => (
            <tr key={storm.id}>
              <td className="c-main">
                <div className="stack tight">
                  <span className="med break">{storm.domain}</span>
                  <Figures storm={storm} />
                </div>
              </td>
              <td data-label={t("inbound.storms.state")}>
                <StateBadge status={storm.status} />
              </td>
              <td className="num" data-label={t("inbound.storms.held")}>
                {formatNumber(storm.held)}
              </td>
              <td className="num dim" data-label={t("inbound.at")}>
                <Time at={storm.created_at} />
              </td>
              <td className="r">{storm.status === "open" && <Choices storm={storm} onOpen={onOpen} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Figures({ storm: { hard_bounces: hard, mails, usual_share: usual } }: { storm: BounceStorm }) {
  const { t } = useTranslation();
  const figures = { hard: formatNumber(hard), mails: formatNumber(mails), usual: formatFineShare(usual) };
  return <span className="sm dim">{t("inbound.storms.figures", figures)}</span>;
}

const LOOKS: Readonly<Record<BounceStorm["status"], { icon: LucideIcon; className: string }>> = {
  open: { icon: CloudLightning, className: "badge warn" },
  released: { icon: CircleSlash, className: "badge" },
  dismissed: { icon: Undo2, className: "badge" },
};

function StateBadge({ status }: Pick<BounceStorm, "status">) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[status];
  return (
    <span className={className}>
      <Icon of={icon} size="sm" />
      {t(`inbound.storms.states.${status}`)}
    </span>
  );
}

function Choices({ storm, onOpen }: { storm: BounceStorm; onOpen: TableProps["onOpen"] }) {
  const { t } = useTranslation();
  const { domain: name } = storm;
  const button = (decision: Decision) => (
    <Button
      size="sm"
      aria-label={t(`inbound.storms.${decision}.of`, { name })}
      onClick={() => onOpen({ storm, decision })}
    >
      {t(`inbound.storms.${decision}.verb`)}
    </Button>
  );
  return (
    <span className="row">
      {button("dismiss")}
      {button("release")}
    </span>
  );
}
