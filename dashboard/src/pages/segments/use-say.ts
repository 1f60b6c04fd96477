import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { query } from "../../api/queries.ts";
import { formatDay, formatNumber } from "../../i18n/format.ts";
import { useFields, useLists } from "../subscribers/reference-data.ts";
import type { Say } from "./rules/sentence.ts";

/** What rules are said with: the words, and the names of what they mention. */
export function useSay(named: Readonly<Record<string, string>>): Say {
  const { t } = useTranslation();
  const fields = useFields();
  const lists = useLists();
  const byId = { ...named, ...Object.fromEntries(lists.map(({ id, name }) => [id, name])) };
  return { t, names: { fields, byId }, formatNumber, formatDay: formatDayOf };
}

/** A day without a time is that day wherever the reader is, and not midnight in Greenwich. */
const formatDayOf = (value: string) => formatDay(value.length === 10 ? `${value}T00:00:00` : value);

/** Before the fields are known, a rule about one looks like one whose field is gone. */
export function useAreNamesRead(): boolean {
  const fields = useQuery(query("GET /v1/fields", { query: { limit: MOST } }));
  const lists = useQuery(query("GET /v1/lists", { query: { limit: MOST } }));
  return !fields.isPending && !lists.isPending;
}

/** As many as the reference data of the subscribers' pages reads, so that it is one request. */
const MOST = 200;
