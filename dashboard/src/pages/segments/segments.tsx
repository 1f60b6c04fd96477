/** The segments: what each is called, whom it asks for, and how many that are now. */
import "./segments.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Copy, Funnel, FunnelPlus, Pencil, Trash2, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Segment } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { SearchBox } from "../../shell/search-box.tsx";
import { DeleteSegment } from "./delete-segment.tsx";
import { sentenceOf, textOf } from "./rules/sentence.ts";
import { readTree } from "./rules/tree.ts";
import { START_NAMES } from "./starting-points.ts";
import { type Counted, useCounts } from "./use-counts.ts";
import { useSay } from "./use-say.ts";

const route = getRouteApi("/signed-in/segments");

export function Segments() {
  const { t } = useTranslation();
  const { q, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const [deleting, setDeleting] = useState<Segment>();
  const query = { ...(q && { q }), ...(cursor && { cursor }) };
  const segments = useQuery(pageQuery("GET /v1/segments", { query }));
  const create = () => void navigate({ to: "/segments/new" });
  useRegisterActions([
    {
      id: "new-segment",
      label: t("segments.new"),
      icon: FunnelPlus,
      keys: "n",
      needs: "subscribers:write",
      run: create,
    },
  ]);
  const showAll = () => void navigate({ search: {} });
  return (
    <>
      <PageHead
        title={t("nav.segments")}
        sub={t("segments.lead")}
        actions={
          <Button kind="primary" icon={FunnelPlus} needs="subscribers:write" onClick={create}>
            {t("segments.new")}
          </Button>
        }
      />
      {(q || (segments.data && segments.data.data.length > 0)) && (
        <div className="table-tools">
          <SearchBox
            key={q}
            value={q}
            label={t("segments.search")}
            placeholder={t("segments.searchHint")}
            maxLength={200}
            onSearch={(next) => void navigate({ search: { q: next } })}
          />
        </div>
      )}
      <Listing
        result={segments}
        unreadable={t("segments.unreadable")}
        empty={q ? <NoMatch onClear={showAll} /> : <NoSegments />}
      >
        {(rows, page) => (
          <>
            <SegmentTable key={rows[0]?.id} segments={rows} onDelete={setDeleting} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {deleting && <DeleteSegment segment={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  const { t } = useTranslation();
  return (
    <Empty title={t("segments.noneMatch")} text={t("segments.noneMatchText")}>
      <Button onClick={onClear}>{t("segments.clear")}</Button>
    </Empty>
  );
}

/** The starting points are real ones: each leads to its rules, counted, and nothing is stored before it is saved. */
function NoSegments() {
  const { t } = useTranslation();
  return (
    <Empty title={t("segments.none")} text={t("segments.noneText")}>
      {START_NAMES.map((start) => (
        <Link key={start} to="/segments/new" search={{ start }} className="btn">
          <Icon of={Funnel} />
          {t(`segments.start.${start}`)}
        </Link>
      ))}
    </Empty>
  );
}

type TableProps = { segments: readonly Segment[]; onDelete: (segment: Segment) => void };

function SegmentTable({ segments, onDelete }: TableProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const say = useSay(Object.assign({}, ...segments.map(({ names }) => names)));
  const counts = useCounts(segments);
  return (
    <div className="tw">
      <table className="table-edge stacked segment-table">
        <thead>
          <tr>
            <th>{t("segments.name")}</th>
            <th>{t("segments.sentence")}</th>
            <th className="num">{t("segments.count")}</th>
            <th>{t("segments.list")}</th>
            <th className="num">{t("segments.changed")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {segments.map((segment, at) => {
            const { id, name, list_id, rules, updated_at } = segment;
            const list = list_id && (say.names.byId[list_id] ?? t("segments.goneList"));
            return (
              <tr key={id}>
                <td className="c-main">
                  <Link to="/segments/$id" params={{ id }} className="med cell-text" dir="auto">
                    {name}
                  </Link>
                </td>
                <td className="mid c-sentence">
                  <span className="clamp">{textOf(sentenceOf(readTree(rules), null, say))}</span>
                </td>
                <td className="num" data-label={t("segments.count")}>
                  <Count counted={counts[at]} />
                </td>
                <td className="mid" data-label={t("segments.list")} dir="auto">
                  <span className="cell-text">{list ?? t("segments.allLists")}</span>
                </td>
                <td className="num dim" data-label={t("segments.changed")}>
                  <Time at={updated_at} />
                </td>
                <td className="r c-menu">
                  <RowMenu
                    needs="subscribers:write"
                    name={name}
                    items={[
                      {
                        label: t("do.edit"),
                        icon: Pencil,
                        run: () => void navigate({ to: "/segments/$id", params: { id } }),
                      },
                      {
                        label: t("segments.see"),
                        icon: Users,
                        run: () => void navigate({ to: "/subscribers", search: { segment: id } }),
                      },
                      {
                        label: t("segments.duplicate"),
                        icon: Copy,
                        run: () => void navigate({ to: "/segments/new", search: { copy: id } }),
                      },
                      { label: t("do.delete"), icon: Trash2, danger: true, run: () => onDelete(segment) },
                    ]}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Count({ counted }: { counted: Counted }) {
  const { t } = useTranslation();
  if (counted === undefined) return <span className="skel skel-number" />;
  if (counted === null)
    return (
      <span className="dim" title={t("segments.notCountedText")}>
        {t("segments.notCounted")}
      </span>
    );
  return formatNumber(counted);
}
