/** The mailbox providers that are closed for a server: until when, why, in which words, and the button that opens them. */
import "../../../i18n/later/settings/failover.ts";
import { CircleSlash, DoorOpen } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { ProviderClosing, TransportReopen } from "../../../api/openapi.ts";
import { formatClock, formatWhen } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { ConfirmDialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useRefreshServers } from "./known-servers.ts";

/** A server with what is closed for it. The instance's has no id, and nobody opens anything for it by hand. */
type ClosedAt = {
  readonly id: string | null;
  readonly name: string;
  readonly closings: readonly ProviderClosing[];
};

/** `isOne` where the page is about this server alone, so that it needn't be named. */
export function Closings({ servers, isOne = false }: { servers: readonly ClosedAt[]; isOne?: boolean }) {
  const { t } = useTranslation();
  const rows = servers.flatMap((server) =>
    [...Map.groupBy(server.closings, ({ provider }) => provider).values()].map((closings) => ({
      server,
      closings,
    })),
  );
  if (rows.length === 0) return null;
  return (
    <section className="panel" aria-label={t("closings.title")}>
      <div className="panel-h">
        <h3>{t("closings.title")}</h3>
      </div>
      <div className="panel-b">
        <p className="sm dim">{t("closings.lead")}</p>
      </div>
      <ul className="findings closings">
        {rows.map(({ server, closings }) => (
          <ClosedProvider
            key={`${server.id} ${closings[0]?.provider}`}
            server={server}
            closings={closings}
            isOne={isOne}
          />
        ))}
      </ul>
    </section>
  );
}

type RowProps = { server: ClosedAt; closings: readonly ProviderClosing[]; isOne: boolean };

function ClosedProvider({ server, closings, isOne }: RowProps) {
  const { t } = useTranslation();
  const [first] = closings;
  const [isAsked, setAsked] = useState(false);
  if (!first) return null;
  const label = t("closings.openOf", { provider: first.name, server: server.name });
  return (
    <li className="finding closed-provider">
      <span className="c-warn">
        <Icon of={CircleSlash} />
      </span>
      <div className="stack">
        <div className="stack tight">
          <span className="med break">{first.name}</span>
          {!isOne && <span className="xs dim break">{t("closings.at", { server: server.name })}</span>}
        </div>
        {closings.map((closing) => (
          <OneClosing key={closing.from_domain} closing={closing} />
        ))}
        {server.id === null && <span className="xs dim">{t("closings.byItself")}</span>}
      </div>
      {server.id !== null && (
        <Button
          size="sm"
          icon={DoorOpen}
          needs="transports:write"
          aria-label={label}
          onClick={() => setAsked(true)}
        >
          {t("closings.open")}
        </Button>
      )}
      {isAsked && server.id !== null && (
        <OpenDialog id={server.id} server={server.name} closing={first} onClose={() => setAsked(false)} />
      )}
    </li>
  );
}

function OneClosing({
  closing: { from_domain: domain, reason, reply, until },
}: {
  closing: ProviderClosing;
}) {
  const { t } = useTranslation();
  return (
    <div className="stack tight sm">
      <span className="row wrap server-line">
        <span className="badge warn">{t("closings.until", { time: formatUntil(until) })}</span>
        {domain !== null && <span className="xs dim break">{t("closings.from", { domain })}</span>}
      </span>
      <span>{t(`closings.reasons.${reason}`)}</span>
      {reply && (
        <q className="mono xs dim break server-reply" dir="ltr">
          {reply}
        </q>
      )}
    </div>
  );
}

/** 16:10 where that is today. */
function formatUntil(time: string): string {
  const isToday = new Date(time).toDateString() === new Date().toDateString();
  return isToday ? formatClock(time) : formatWhen(time);
}

type OpenProps = { id: string; server: string; closing: ProviderClosing; onClose: () => void };

function OpenDialog({ id, server, closing, onClose }: OpenProps) {
  const { t } = useTranslation();
  const refresh = useRefreshServers();
  const { name } = closing;
  return (
    <ConfirmDialog
      title={t("closings.askTitle", { provider: name })}
      lead={t("closings.askLead", { server })}
      action={t("closings.open")}
      onClose={onClose}
      confirm={async () => {
        // Only a provider that is known closes.
        const provider = closing.provider as TransportReopen["provider"];
        await call("POST /v1/transports/{id}/reopen", { path: { id }, body: { provider } });
        await refresh();
        notify(t("closings.opened", { provider: name, server }));
      }}
    />
  );
}
