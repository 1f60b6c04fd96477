/** By which servers each stream leaves, the first of them first. */
import "../../../i18n/later/settings/failover.ts";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../../api/may.ts";
import type { Transport } from "../../../api/openapi.ts";
import { LeaveGuard } from "../../../kit/forms/leave-guard.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { type Stream, usePools } from "./known-servers.ts";
import { StreamOrder } from "./stream-order.tsx";

type Props = { servers: readonly Transport[]; hasInstanceServer: boolean };

export function Orders({ servers, hasInstanceServer }: Props) {
  const { t } = useTranslation();
  const mayWrite = useMay()("transports:write");
  const pools = usePools();
  const drafts = useRef(new Set<Stream>());
  return (
    <section className="panel" aria-label={t("serverOrder.title")}>
      <LeaveGuard isNeeded={() => drafts.current.size > 0} />
      <div className="panel-h">
        <h3>{t("serverOrder.title")}</h3>
      </div>
      <div className="panel-b stack tight">
        <p className="sm dim">{t("serverOrder.lead")}</p>
        {mayWrite && <p className="xs dim">{t("serverOrder.keys")}</p>}
      </div>
      {pools.data ? (
        pools.data.data.map((pool) => (
          <StreamOrder
            key={pool.stream}
            pool={pool}
            servers={servers}
            hasInstanceServer={hasInstanceServer}
            onDraft={(isThere) =>
              isThere ? drafts.current.add(pool.stream) : drafts.current.delete(pool.stream)
            }
          />
        ))
      ) : (
        <div className="panel-b">
          {pools.error ? (
            <Failure
              title={t("serverOrder.unreadable")}
              error={pools.error}
              retry={() => void pools.refetch()}
            />
          ) : (
            <SkeletonLines lines={4} />
          )}
        </div>
      )}
    </section>
  );
}
