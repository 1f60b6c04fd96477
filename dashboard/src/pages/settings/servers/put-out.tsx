/** A server that was put out: since when, why, and the button that brings it back. */
import "../../../i18n/later/settings/failover.ts";
import { TriangleAlert, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Transport } from "../../../api/openapi.ts";
import { formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useRefreshServers } from "./known-servers.ts";

export function PutOut({ server: { id, name, out } }: { server: Transport }) {
  const { t } = useTranslation();
  const refresh = useRefreshServers();
  const [isAsked, setAsked] = useState(false);
  if (!out) return null;
  return (
    <section className="note danger" aria-label={t("serverOut.title", { name })}>
      <Icon of={TriangleAlert} />
      <div className="stack tight grow">
        <b className="break">{t("serverOut.title", { name })}</b>
        <span>
          {t("serverOut.since", { time: formatTime(out.since) })} {t(`serverOut.reasons.${out.reason}`)}
        </span>
        {out.detail && (
          <span className="mono xs break" dir="ltr">
            {out.detail}
          </span>
        )}
        {out.next_try_at && <span>{t("serverOut.nextTry", { time: formatTime(out.next_try_at) })}</span>}
        <div className="put-out-act">
          <Button
            size="sm"
            icon={Undo2}
            needs="transports:write"
            aria-label={t("serverOut.reinstateOf", { name })}
            onClick={() => setAsked(true)}
          >
            {t("serverOut.reinstate")}
          </Button>
        </div>
      </div>
      {isAsked && (
        <ConfirmDialog
          title={t("serverOut.askTitle", { name })}
          lead={t("serverOut.askLead")}
          action={t("serverOut.reinstate")}
          onClose={() => setAsked(false)}
          confirm={async () => {
            await call("POST /v1/transports/{id}/reinstate", { path: { id } });
            await refresh();
            notify(t("serverOut.reinstated", { name }));
          }}
        />
      )}
    </section>
  );
}
