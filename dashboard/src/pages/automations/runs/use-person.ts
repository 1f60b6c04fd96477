import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { query } from "../../../api/queries.ts";

const KEPT_MS = 60_000;

/** The address of a subscriber; undefined until it is known. */
export function usePerson(id: string | undefined): { name: string | undefined; isGone: boolean } {
  const { t } = useTranslation();
  const found = useQuery({
    ...query("GET /v1/subscribers/{id}", { path: { id: id ?? "" } }),
    enabled: id !== undefined,
    staleTime: KEPT_MS,
  });
  const isGone = found.error !== null;
  return { name: found.data?.email ?? (isGone ? t("runs.gone") : undefined), isGone };
}
