import { Link } from "@tanstack/react-router";
import { CircleDashed, Clock } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatTime, formatWhen } from "../../i18n/format.ts";
import { Icon } from "../../kit/icon.tsx";
import { useCampaigns } from "./campaign-queries.ts";

/** What is about to be sent, and what is being written. */
export function NextPanel() {
  const { t } = useTranslation();
  const scheduled = useCampaigns({ status: "scheduled", limit: 3 });
  const drafts = useCampaigns({ status: "draft", limit: 3 });
  if (scheduled.length + drafts.length === 0) return null;
  return (
    <>
      <hr className="rule" />
      <section className="stack">
        <div className="sect-h">
          <h2>{t("home.next")}</h2>
        </div>
        {[...scheduled, ...drafts].map(({ id, name, status, send_at, updated_at }) => (
          <div key={id} className="row next">
            <span className={status === "draft" ? "dim" : "c-info"}>
              <Icon of={status === "draft" ? CircleDashed : Clock} />
            </span>
            <div className="sm grow">
              <div className="med break" dir="auto">
                <Link to={status === "draft" ? "/campaigns/$id/edit" : "/campaigns/$id"} params={{ id }}>
                  {name}
                </Link>
              </div>
              <div className="dim">
                {status === "draft"
                  ? t("home.draft", { time: formatTime(updated_at) })
                  : t("home.scheduledFor", { time: send_at ? formatWhen(send_at) : "" })}
              </div>
            </div>
          </div>
        ))}
      </section>
    </>
  );
}
