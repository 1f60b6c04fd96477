/** What the table of subscribers shows of segments: the name of one, and the way from a filter to a new one. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { FunnelPlus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { query } from "../../api/queries.ts";
import { Icon } from "../../kit/icon.tsx";
import { rulesOfFilter } from "./starting-points.ts";

export function useSegmentName(id: string): string {
  return useQuery(query("GET /v1/segments/{id}", { path: { id } })).data?.name ?? id;
}

type Search = Parameters<typeof rulesOfFilter>[0] & {
  readonly list?: string | undefined;
  readonly segment?: string | undefined;
};

/** A filter that already is a segment isn't offered as another. */
export function SaveAsSegment({ search }: { search: Search }) {
  const { t } = useTranslation();
  const rules = rulesOfFilter(search);
  if (!rules || search.segment) return null;
  return (
    <Link to="/segments/new" search={{ rules, list: search.list }} className="btn btn-quiet btn-sm">
      <Icon of={FunnelPlus} />
      {t("segments.saveAs")}
    </Link>
  );
}
