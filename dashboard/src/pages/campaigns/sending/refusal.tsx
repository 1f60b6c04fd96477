/** What to say, and what to offer, where the service refused to send: somebody was faster, or something is in the way. */
import { Link } from "@tanstack/react-router";
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import type { ApiError } from "../../../api/problem.ts";
import { formatClock } from "../../../i18n/format.ts";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { useWho } from "../../../kit/who.ts";

const STATUSES = ["draft", "scheduled", "sending", "paused", "sent", "canceled", "failed"] as const;
type Status = (typeof STATUSES)[number];

/** The status that the campaign has now, as the refusal says. */
export function statusIn(error: ApiError): Status | undefined {
  return STATUSES.find((status) => status === error.members["current_status"]);
}

/** `campaign` is as it was read after the refusal. */
export function Refusal({ error, campaign }: { error: ApiError; campaign: Campaign }) {
  const { t } = useTranslation();
  const who = useWho();
  const status = statusIn(error);
  if (error.status === 404) return <Gone />;
  if (error.code === "precondition_failed") {
    const { updated_by: by, updated_at: at } = campaign;
    return (
      <Note
        text={
          by
            ? t("sending.refused.changed", { who: who(by), time: formatClock(at) })
            : t("sending.refused.changedSomehow")
        }
      />
    );
  }
  if (error.status === 409 && status)
    return (
      <Note text={t(`sending.refused.moved.${status}`)}>
        {status !== "draft" && (
          <Link to="/campaigns/$id" params={{ id: campaign.id }}>
            {t("sending.refused.see")}
          </Link>
        )}
      </Note>
    );
  if (error.status !== 422 || error.faults.length === 0) return <ProblemNote error={error} />;
  return (
    <Note text={t("sending.refused.notReady")}>
      <ul>
        {error.faults.map(({ pointer, detail }) => (
          <li key={`${pointer} ${detail}`} className="break">
            {sentence(detail)}
          </li>
        ))}
      </ul>
    </Note>
  );
}

/** Said where the campaign is no more. */
export function Gone() {
  const { t } = useTranslation();
  return (
    <Note text={t("sending.refused.gone")}>
      <Link to="/campaigns">{t("sending.refused.goneWhat")}</Link>
    </Note>
  );
}

function Note({ text, children }: { text: string; children?: React.ReactNode }) {
  return (
    <div className="note danger" role="alert">
      <Icon of={CircleAlert} />
      <div>
        {text} {children}
      </div>
    </div>
  );
}
