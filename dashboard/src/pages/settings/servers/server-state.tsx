import "../../../i18n/later/settings/failover.ts";
import { useTranslation } from "react-i18next";
import type { Transport } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { usePools } from "./known-servers.ts";

/** Whether mail leaves by a server now, and for how many providers it is closed. */
export function ServerState({ server: { id, out, closings } }: { server: Transport }) {
  const { t } = useTranslation();
  const pools = usePools().data?.data ?? [];
  const count = new Set(closings.map(({ provider }) => provider)).size;
  const isInUse = pools.some((pool) => pool.leaves_by === id);
  const standsBy = pools.some(({ transports }) => transports.includes(id));
  return (
    <>
      {out ? (
        <span className="badge danger">{t("serverState.out")}</span>
      ) : isInUse ? (
        <span className="badge accent">{t("serverState.inUse")}</span>
      ) : (
        standsBy && <span className="badge">{t("serverState.standsBy")}</span>
      )}
      {count > 0 && (
        <span className="badge warn">{t("serverState.closed", { count, number: formatNumber(count) })}</span>
      )}
    </>
  );
}
