import { useQuery, useQueryClient } from "@tanstack/react-query";
import { LogOut } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { OwnSession } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { nameBrowser } from "../browser-name.ts";

type Ending = OwnSession | "others" | null;

/** Where somebody is signed in, and the way to end what isn't theirs. */
export function OwnSessions() {
  const { t } = useTranslation();
  const [ending, setEnding] = useState<Ending>(null);
  const sessions = useQuery(query("GET /v1/sessions", {}));
  if (sessions.error && !sessions.data) {
    const retry = () => void sessions.refetch();
    return <Failure title={t("security.unreadable")} error={sessions.error} retry={retry} />;
  }
  if (!sessions.data) return <SkeletonLines />;
  const { data } = sessions.data;
  return (
    <section className="stack-4">
      <div className="row wrap between">
        <div>
          <h2>{t("security.sessions")}</h2>
          <p className="sm dim">{t("security.lead")}</p>
        </div>
        {data.length > 1 && (
          <Button icon={LogOut} onClick={() => setEnding("others")}>
            {t("security.endOthers")}
          </Button>
        )}
      </div>
      <SessionTable sessions={data} onEnd={setEnding} />
      {ending && <EndSessions ending={ending} onClose={() => setEnding(null)} />}
    </section>
  );
}

function SessionTable({
  sessions,
  onEnd,
}: {
  sessions: readonly OwnSession[];
  onEnd: (session: OwnSession) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="stacked inset tall">
        <thead>
          <tr>
            <th>{t("security.browser")}</th>
            <th>{t("security.network")}</th>
            <th>{t("security.lastSeen")}</th>
            <th>
              <span className="sr">{t("security.end")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {sessions.map((session) => (
            <tr key={session.id}>
              <td className="c-main">
                <span className="row wrap">
                  <span className="med" title={session.user_agent}>
                    {nameBrowser(session.user_agent) ?? t("security.unknown")}
                  </span>
                  {session.is_present && <span className="badge accent">{t("security.present")}</span>}
                </span>
              </td>
              <td className="mid mono break" data-label={t("security.network")}>
                {session.network}
              </td>
              <td className="dim" data-label={t("security.lastSeen")}>
                <Time at={session.last_seen_at} />
              </td>
              <td className="r c-menu">
                {!session.is_present && (
                  <Button size="sm" onClick={() => onEnd(session)}>
                    {t("security.end")}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EndSessions({ ending, onClose }: { ending: OwnSession | "others"; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const isAll = ending === "others";
  return (
    <ConfirmDialog
      title={isAll ? t("security.endOthersTitle") : t("security.endTitle")}
      lead={t("security.endLead")}
      action={isAll ? t("security.endOthers") : t("security.end")}
      onClose={onClose}
      confirm={async () => {
        if (ending === "others") await call("DELETE /v1/sessions", {});
        else await call("DELETE /v1/sessions/{id}", { path: { id: ending.id } });
        await queries.invalidateQueries({ queryKey: ["sessions"] });
        notify(t("security.ended"));
      }}
    />
  );
}
