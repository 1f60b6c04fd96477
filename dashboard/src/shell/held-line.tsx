import "../i18n/later/holds.ts";
import { Eye, OctagonPause } from "lucide-react";
import { useTranslation } from "react-i18next";
import { chooseAccount } from "../api/account.ts";
import { useMay } from "../api/may.ts";
import type { Account, Session } from "../api/openapi.ts";
import { formatTime } from "../i18n/format.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { BillingLine, QuotaLine } from "./billing-line.tsx";

type Props = Pick<Account, "holds"> & { readonly visit: Membership | undefined };
type Membership = Session["memberships"][number];

/** The lines at the top while the account may not send, for each thing that keeps it from that, and while an operator looks in. Those of billing come last. */
export default function HeldLine({ holds, visit }: Props) {
  const may = useMay();
  return (
    <>
      {visit?.visit_until && <VisitLine until={visit.visit_until} />}
      <Holds holds={holds} />
      {may("billing:read") ? <BillingLine holds={holds} /> : may("usage:read") && <QuotaLine />}
    </>
  );
}

function VisitLine({ until }: { until: string }) {
  const { t } = useTranslation();
  const leave = () => {
    chooseAccount(undefined);
    window.location.assign("/settings/instance");
  };
  return (
    <div className="note warn line" role="status">
      <Icon of={Eye} />
      <span className="grow break">
        <b>{t("holds.visit", { time: formatTime(until) })}</b> {t("holds.visitMore")}
      </span>
      <Button size="sm" onClick={leave}>
        {t("holds.leave")}
      </Button>
    </div>
  );
}

function Holds({ holds }: Pick<Account, "holds">) {
  const { t } = useTranslation();
  return holds.map(({ kind, reason, since }) => (
    <div key={kind} className="note danger line" role="status">
      <Icon of={OctagonPause} />
      <span className="grow break">
        <b>{t(`holds.${kind}`)}</b> {t(`holds.${kind}More`)}{" "}
        {reason && <span dir="auto">{t("holds.reason", { reason })} </span>}
        {t("holds.since", { time: formatTime(since) })}
      </span>
    </div>
  ));
}
