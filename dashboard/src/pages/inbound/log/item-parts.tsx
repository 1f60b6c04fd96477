/** What the log and the page of one item say alike. */
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { InboundItemSummary } from "../../../api/openapi.ts";

const LOOKS: Readonly<Partial<Record<NonNullable<InboundItemSummary["kind"]>, string>>> = {
  bounce: "badge danger",
  complaint: "badge danger",
  unsubscribe: "badge warn",
  delivered: "badge accent",
};

export function KindBadge({ item: { kind, state } }: { item: Pick<InboundItemSummary, "kind" | "state"> }) {
  const { t } = useTranslation();
  if (state === "failed") return <span className="badge warn">{t("inbound.failed")}</span>;
  if (kind === null) return <span className="badge">{t("inbound.notRead")}</span>;
  return <span className={LOOKS[kind] ?? "badge"}>{t(`inbound.kinds.${kind}`)}</span>;
}

/** The service's own word for what it did, which stays the same; people read it without the underscores. */
export function plainOutcome(outcome: string): string {
  return outcome.replaceAll("_", " ");
}

type AboutProps = { item: Pick<InboundItemSummary, "campaign_id" | "email_id" | "matched"> };

export function About({ item: { campaign_id, email_id, matched } }: AboutProps) {
  const { t } = useTranslation();
  if (campaign_id) {
    return (
      <Link to="/campaigns/$id" params={{ id: campaign_id }} className="link">
        {t("inbound.campaign")}
      </Link>
    );
  }
  if (email_id) {
    return (
      <Link to="/emails/$id" params={{ id: email_id }} className="link">
        {t("inbound.email")}
      </Link>
    );
  }
  return matched === false ? t("inbound.nobody") : null;
}
