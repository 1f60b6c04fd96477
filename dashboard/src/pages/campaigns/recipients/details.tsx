import { Link } from "@tanstack/react-router";
import { Info, User, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CampaignRecipient } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Time } from "../../../kit/time.tsx";
import { meaningOf, reasonWords, replyOf } from "./meaning.ts";
import { StateMark } from "./state-mark.tsx";

/** One recipient: what became of the mail in a sentence, and below it what the server said word for word. */
export function RecipientDetails({ row, onClose }: { row: CampaignRecipient; onClose: () => void }) {
  const { t } = useTranslation();
  const reply = replyOf(row);
  return (
    <aside className="recipient-details" aria-label={t("recipients.details")}>
      <div className="row between">
        <h2 className="break" dir="auto">
          {row.email ?? t("recipients.deleted")}
        </h2>
        <Button kind="quiet" size="sm" icon={X} aria-label={t("do.close")} onClick={onClose} />
      </div>
      <div className="note">
        <Icon of={Info} />
        <span>{meaningOf(t, row)}</span>
      </div>
      <dl className="kv">
        <dt>{t("recipients.state")}</dt>
        <dd>
          <StateMark status={row.status} />
        </dd>
        {row.reason && (
          <>
            <dt>{t("recipients.reason")}</dt>
            <dd>{reasonWords(t, row.reason)}</dd>
          </>
        )}
        {row.event?.type && (
          <>
            <dt>{t(`recipients.groups.${row.event.type}`)}</dt>
            <dd>{row.event.at && <Time at={row.event.at} />}</dd>
          </>
        )}
        <dt>{t("recipients.tries")}</dt>
        <dd>{formatNumber(row.attempts ?? 0)}</dd>
        <dt>{t("recipients.planned")}</dt>
        <dd>
          <Time at={row.created_at} />
        </dd>
        <dt>{t("recipients.changed")}</dt>
        <dd>
          <Time at={row.updated_at} />
        </dd>
      </dl>
      {reply && (
        <div className="stack tight">
          <h3 className="label">{t("recipients.saidLast")}</h3>
          <pre className="code well folded recipient-reply">{reply}</pre>
        </div>
      )}
      <div className="row wrap">
        {row.subscriber_id && (
          <Link className="btn btn-sm" to="/subscribers/$id" params={{ id: row.subscriber_id }}>
            <Icon of={User} />
            {t("recipients.openSubscriber")}
          </Link>
        )}
        {reply && <CopyButton text={reply} label={t("recipients.copyReply")} size="sm" />}
      </div>
    </aside>
  );
}
