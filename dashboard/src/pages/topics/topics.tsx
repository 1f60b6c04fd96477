import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Topic } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { ListPage } from "../../kit/tables/list-page.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { DeleteTopic, EditTopic, NewTopic } from "./edit-topic.tsx";

const route = getRouteApi("/signed-in/topics");

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly topic: Topic } | null;

export function Topics() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const topics = useQuery(pageQuery("GET /v1/topics", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = {
    label: t("topics.new"),
    icon: Plus,
    needs: "subscribers:write" as const,
    run: () => setOpen({ what: "new" }),
  };
  useRegisterActions([{ ...create, id: "new-topic", keys: "n" }]);
  return (
    <>
      <ListPage
        title={t("nav.topics")}
        lead={t("topics.lead")}
        create={create}
        result={topics}
        cursor={cursor}
        unreadable={t("topics.unreadable")}
        none={t("topics.none")}
        noneText={t("topics.noneText")}
      >
        {(rows) => <TopicTable topics={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.what === "new" && <NewTopic onClose={close} />}
      {open?.what === "edit" && <EditTopic id={open.topic.id} onClose={close} />}
      {open?.what === "delete" && <DeleteTopic topic={open.topic} onClose={close} />}
    </>
  );
}

function TopicTable({ topics, onOpen }: { topics: readonly Topic[]; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked">
        <thead>
          <tr>
            <th>{t("topics.name")}</th>
            <th>{t("topics.default")}</th>
            <th className="num">{t("lists.made")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {topics.map((topic) => (
            <tr key={topic.id}>
              <td className="c-main">
                <div>
                  <span className="cell-text med" dir="auto">
                    {topic.name}
                  </span>
                  {topic.description && (
                    <span className="cell-text sm dim" dir="auto">
                      {topic.description}
                    </span>
                  )}
                </div>
              </td>
              <td data-label={t("topics.default")}>
                {t(`topics.defaults.${topic.default ? "everybody" : "asked"}`)}
              </td>
              <td className="num dim" data-label={t("lists.made")}>
                <Time at={topic.created_at} day />
              </td>
              <td className="r c-menu">
                <RowMenu
                  needs="subscribers:write"
                  name={topic.name}
                  items={[
                    { label: t("do.edit"), icon: Pencil, run: () => onOpen({ what: "edit", topic }) },
                    {
                      label: t("do.delete"),
                      icon: Trash2,
                      danger: true,
                      run: () => onOpen({ what: "delete", topic }),
                    },
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
