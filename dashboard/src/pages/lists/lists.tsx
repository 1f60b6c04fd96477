import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { ListPlus, Pencil, Sunset, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { List } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { DeleteList } from "./delete-list.tsx";
import { EditList, NewList } from "./edit-list.tsx";
import { SunsetPolicy } from "./sunset-policy.tsx";

const route = getRouteApi("/signed-in/lists");

type Open =
  | { readonly what: "new" }
  | { readonly what: "edit" | "sunset" | "delete"; readonly list: List }
  | null;

export function Lists() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const lists = useQuery(pageQuery("GET /v1/lists", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = () => setOpen({ what: "new" });
  useRegisterActions([
    {
      id: "new-list",
      label: t("lists.new"),
      icon: ListPlus,
      keys: "n",
      needs: "subscribers:write",
      run: create,
    },
  ]);
  return (
    <>
      <PageHead
        title={t("nav.lists")}
        sub={t("lists.lead")}
        actions={
          <Button kind="primary" icon={ListPlus} needs="subscribers:write" onClick={create}>
            {t("lists.new")}
          </Button>
        }
      />
      <Listing
        result={lists}
        unreadable={t("lists.unreadable")}
        empty={
          <Empty title={t("lists.none")} text={t("lists.noneText")}>
            <Button kind="primary" icon={ListPlus} needs="subscribers:write" onClick={create}>
              {t("lists.new")}
            </Button>
          </Empty>
        }
      >
        {(rows, page) => (
          <>
            <ListTable
              lists={rows}
              onEdit={(list) => setOpen({ what: "edit", list })}
              onSunset={(list) => setOpen({ what: "sunset", list })}
              onDelete={(list) => setOpen({ what: "delete", list })}
            />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {open?.what === "new" && <NewList onClose={close} />}
      {open?.what === "edit" && <EditList id={open.list.id} onClose={close} />}
      {open?.what === "sunset" && <SunsetPolicy list={open.list} onClose={close} />}
      {open?.what === "delete" && <DeleteList list={open.list} onClose={close} />}
    </>
  );
}

type TableProps = {
  lists: readonly List[];
  onEdit: (list: List) => void;
  onSunset: (list: List) => void;
  onDelete: (list: List) => void;
};

function ListTable({ lists, onEdit, onSunset, onDelete }: TableProps) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked">
        <thead>
          <tr>
            <th>{t("lists.name")}</th>
            <th className="num">{t("status.active")}</th>
            <th className="num">{t("lists.total")}</th>
            <th>{t("lists.joining")}</th>
            <th className="num">{t("lists.made")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {lists.map((list) => (
            <tr key={list.id}>
              <td className="c-main">
                <Link to="/subscribers" search={{ list: list.id }} className="med cell-text" dir="auto">
                  {list.name}
                </Link>
              </td>
              <td className="num" data-label={t("status.active")}>
                {formatNumber(list.counts.active)}
              </td>
              <td className="num dim" data-label={t("lists.total")}>
                {formatNumber(list.counts.total)}
              </td>
              <td className="mid" data-label={t("lists.joining")}>
                {list.double_opt_in ? t("lists.doubleOptIn") : t("lists.singleOptIn")}
              </td>
              <td className="num dim" data-label={t("lists.made")}>
                <Time at={list.created_at} day />
              </td>
              <td className="r c-menu">
                <RowMenu
                  needs="subscribers:write"
                  name={list.name}
                  items={[
                    { label: t("do.edit"), icon: Pencil, run: () => onEdit(list) },
                    { label: t("sunset.open"), icon: Sunset, run: () => onSunset(list) },
                    { label: t("do.delete"), icon: Trash2, danger: true, run: () => onDelete(list) },
                  ]}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
