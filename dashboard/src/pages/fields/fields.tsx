import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Field } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { ListPage } from "../../kit/tables/list-page.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { DeleteField, EditField, NewField } from "./edit-field.tsx";

const route = getRouteApi("/signed-in/fields");

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly field: Field } | null;

export function Fields() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const fields = useQuery(pageQuery("GET /v1/fields", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = {
    label: t("fields.new"),
    icon: Plus,
    needs: "subscribers:write" as const,
    run: () => setOpen({ what: "new" }),
  };
  useRegisterActions([{ ...create, id: "new-field", keys: "n" }]);
  return (
    <>
      <ListPage
        title={t("nav.fields")}
        lead={t("fields.lead")}
        create={create}
        result={fields}
        cursor={cursor}
        unreadable={t("fields.unreadable")}
        none={t("fields.none")}
        noneText={t("fields.noneText")}
      >
        {(rows) => <FieldTable fields={rows} onOpen={setOpen} />}
      </ListPage>
      {open?.what === "new" && <NewField onClose={close} />}
      {open?.what === "edit" && <EditField id={open.field.id} onClose={close} />}
      {open?.what === "delete" && <DeleteField field={open.field} onClose={close} />}
    </>
  );
}

function FieldTable({ fields, onOpen }: { fields: readonly Field[]; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  return (
    <div className="tw">
      <table className="table-edge stacked">
        <thead>
          <tr>
            <th>{t("fields.name")}</th>
            <th>{t("fields.type")}</th>
            <th>{t("fields.inMails")}</th>
            <th className="num">{t("lists.made")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {fields.map((field) => (
            <tr key={field.id}>
              <td className="c-main med" dir="auto">
                <span className="cell-text">{field.name}</span>
              </td>
              <td data-label={t("fields.type")}>{t(`fields.types.${field.type}`)}</td>
              <td data-label={t("fields.inMails")}>
                <code className="mono dim break">{`{{ fields.${field.key} }}`}</code>
              </td>
              <td className="num dim" data-label={t("lists.made")}>
                <Time at={field.created_at} day />
              </td>
              <td className="r c-menu">
                <RowMenu
                  needs="subscribers:write"
                  name={field.name}
                  items={[
                    { label: t("do.edit"), icon: Pencil, run: () => onOpen({ what: "edit", field }) },
                    {
                      label: t("do.delete"),
                      icon: Trash2,
                      danger: true,
                      run: () => onOpen({ what: "delete", field }),
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
