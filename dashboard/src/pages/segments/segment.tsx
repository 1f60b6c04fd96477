/** A segment, new or saved: it is read once for each opening, since a refresh would take away what is being changed. */
import "./segments.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { request } from "../../api/client.ts";
import { queryWithEtag } from "../../api/queries.ts";
import { PageHead } from "../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { SegmentEditor } from "./segment-editor.tsx";
import { STARTS } from "./starting-points.ts";
import { useAreNamesRead } from "./use-say.ts";

const oldRoute = getRouteApi("/signed-in/segments/$id");
const newRoute = getRouteApi("/signed-in/segments/new");

export function SegmentPage() {
  const { id } = oldRoute.useParams();
  const areNamesRead = useAreNamesRead();
  const found = useQuery({
    ...queryWithEtag("GET /v1/segments/{id}", { path: { id } }),
    staleTime: Infinity,
    gcTime: 0,
  });
  if (found.data && areNamesRead) {
    const { body: segment, etag } = found.data;
    return <SegmentEditor key={id} saved={{ segment, etag }} beginning={segment} />;
  }
  if (found.error) return <Unreadable error={found.error} retry={() => void found.refetch()} />;
  return <SkeletonLines />;
}

const NOTHING = { name: "", list_id: null, rules: { all: [] }, names: {} };

export function NewSegment() {
  const { t } = useTranslation();
  const search = newRoute.useSearch();
  const { copy, start, rules, list } = search;
  const areNamesRead = useAreNamesRead();
  const original = useQuery({
    queryKey: ["segments", "copied", copy],
    queryFn: async ({ signal }) =>
      (await request("GET /v1/segments/{id}", { path: { id: copy ?? "" }, signal })).body,
    enabled: copy !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  });
  if (original.error) return <Unreadable error={original.error} retry={() => void original.refetch()} />;
  if (!areNamesRead || (copy && !original.data)) return <SkeletonLines />;
  const beginning = {
    ...NOTHING,
    list_id: list ?? null,
    ...(rules && { rules }),
    ...(start && { rules: STARTS[start], name: t(`segments.start.${start}`) }),
    ...(original.data && {
      ...original.data,
      name: t("segments.copyName", { name: original.data.name }).slice(0, LONGEST_NAME),
    }),
  };
  // Another address is another beginning.
  return <SegmentEditor key={JSON.stringify(search)} beginning={beginning} />;
}

const LONGEST_NAME = 200;

function Unreadable({ error, retry }: { error: Error; retry: () => void }) {
  const { t } = useTranslation();
  return (
    <>
      <PageHead title={t("segments.one")} crumb={{ label: t("nav.segments"), to: "/segments" }} />
      <Failure title={t("segments.oneUnreadable")} error={error} retry={retry} />
    </>
  );
}
