/** A campaign that waits for its time: when that is, and who would get it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Campaign } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { AudienceSum } from "../sending/audience-sum.tsx";
import { useLeavesInMs } from "../sending/undo-bar.tsx";
import { spellMoment } from "../sending/when/spell.ts";
import { MomentDetails } from "../sending/when/when-fields.tsx";
import { ChangeTime } from "./change-time.tsx";
import { usePageActions } from "./use-page-actions.ts";
import { useServerNow } from "./use-server-now.ts";

/** Its time may pass while it is paused and somebody looks on. */
const LOOK_EVERY_MS = 1_000;

export function Scheduled({ campaign }: { campaign: Campaign }) {
  const { t } = useTranslation();
  const { id, status, send_at: at } = campaign;
  const { data: audience } = useQuery(query("GET /v1/campaigns/{id}/audience", { path: { id } }));
  const isPaused = status === "paused";
  const leavesInMs = useLeavesInMs(campaign);
  const now = useServerNow(id, isPaused ? LOOK_EVERY_MS : undefined);
  const when = at ? new Date(at) : undefined;
  return (
    <div className="body stack-6 waits">
      {when && (
        <section className="stack">
          <h2>
            {t(isPaused ? "sending.scheduled.pausedTitle" : "sending.scheduled.title", {
              when: spellMoment(when),
            })}
          </h2>
          <MomentDetails at={when} aheadMs={leavesInMs} />
          {isPaused ? (
            <Paused campaign={campaign} isElapsed={now !== undefined && when.getTime() <= now} />
          ) : (
            <p className="mid">{t("sending.scheduled.lead")}</p>
          )}
          {campaign.allowed_actions.includes("update") && (
            <p>
              <Link className="link" to="/campaigns/$id/edit" params={{ id }}>
                {t("sending.do.edit")}
              </Link>
            </p>
          )}
        </section>
      )}
      {audience && (
        <section className="stack">
          <h2>{t("sending.scheduled.who")}</h2>
          <AudienceSum audience={audience} />
          <p className="sm dim">{t("sending.scheduled.whoText")}</p>
        </section>
      )}
    </div>
  );
}

function Paused({ campaign, isElapsed }: { campaign: Campaign; isElapsed: boolean }) {
  const { t } = useTranslation();
  const actions = usePageActions(campaign);
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="note warn">
      <div className="stack">
        <p>{t(isElapsed ? "sending.scheduled.elapsed" : "sending.scheduled.pausedText")}</p>
        {isElapsed && (
          <div className="row wrap">
            <Button kind="go" busy={actions.busy} onClick={() => void actions.resume("send_now")}>
              {t("sending.scheduled.sendNow")}
            </Button>
            <Button onClick={() => setOpen(true)}>{t("sending.scheduled.change")}</Button>
          </div>
        )}
      </div>
      {isOpen && <ChangeTime campaign={campaign} onClose={() => setOpen(false)} />}
    </div>
  );
}
