import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useConnection } from "../api/connection.ts";
import { keepLive, useAsOf } from "../api/live.ts";
import { formatSecond } from "../i18n/format.ts";

/** Keeps the page live while somebody is signed in. Where it can't be, a line at its foot says as of when it is. */
export function AsOf() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { connection, isSignedOut } = useConnection();
  const asOf = useAsOf();
  useEffect(() => (isSignedOut ? undefined : keepLive(queries)), [queries, isSignedOut]);
  if (!asOf || connection !== "ok") return null;
  return <p className="as-of">{t("live.asOf", { time: formatSecond(asOf) })}</p>;
}
