import { useQueryClient } from "@tanstack/react-query";
import { CircleAlert, WifiOff } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { reportConnection, useConnection } from "../api/connection.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";

const ASK_EVERY_MS = 4_000;

/** The line at the top while the service, or its database, doesn't answer. It goes by itself. */
export function ConnectionLine() {
  const { t } = useTranslation();
  const { connection } = useConnection();
  const queries = useQueryClient();

  useEffect(() => {
    if (connection === "ok") return;
    const ask = async () => {
      const answer = await fetch("/readyz").catch(() => undefined);
      if (!answer?.ok) return reportConnection(answer ? "unavailable" : "offline");
      reportConnection("ok");
      await queries.invalidateQueries();
    };
    const timer = setInterval(() => void ask(), ASK_EVERY_MS);
    window.addEventListener("online", ask);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", ask);
    };
  }, [connection, queries]);

  if (connection === "ok") return null;
  const isOffline = connection === "offline";
  return (
    <div className={isOffline ? "note warn line" : "note danger line"} role="status">
      <Icon of={isOffline ? WifiOff : CircleAlert} />
      <span className="grow">
        <b>{isOffline ? t("connection.offline") : t("connection.unavailable")}</b>{" "}
        {isOffline ? t("connection.offlineMore") : t("connection.unavailableMore")}
      </span>
      <Button size="sm" onClick={() => void queries.invalidateQueries()}>
        {t("do.tryNow")}
      </Button>
    </div>
  );
}
