import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { Field } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/dialog.tsx";
import { Listing } from "../../kit/listing.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Pager } from "../../kit/pager.tsx";
import { RowMenu } from "../../kit/row-menu.tsx";
import { Empty } from "../../kit/states.tsx";
import { Time } from "../../kit/time.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { EditField } from "./edit-field.tsx";

const route = getRouteApi("/signed-in/fields");

type Open = { readonly what: "new" } | { readonly what: "edit" | "delete"; readonly field: Field } | null;

export function Fields() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<Open>(null);
  const fields = useQuery(pageQuery("GET /v1/fields", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = () => setOpen({ what: "new" });
  useRegisterActions([{ id: "new-field", label: t("fields.new"), icon: Plus, keys: "n", run: create }]);
  return (
    <>
      <PageHead
        title={t("nav.fields")}
        sub={t("fields.lead")}
        actions={
          <Button kind="primary" icon={Plus} onClick={create}>
            {t("fields.new")}
          </Button>
        }
      />
      <Listing
        result={fields}
        unreadable={t("fields.unreadable")}
        empty={
          <Empty title={t("fields.none")} text={t("fields.noneText")}>
            <Button kind="primary" icon={Plus} onClick={create}>
              {t("fields.new")}
            </Button>
          </Empty>
        }
      >
        {(rows, page) => (
          <>
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
                  {rows.map((field) => (
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
                          name={field.name}
                          items={[
                            {
                              label: t("do.edit"),
                              icon: Pencil,
                              run: () => setOpen({ what: "edit", field }),
                            },
                            {
                              label: t("do.delete"),
                              icon: Trash2,
                              danger: true,
                              run: () => setOpen({ what: "delete", field }),
                            },
                          ]}
                        />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {open?.what === "new" && <EditField onClose={close} />}
      {open?.what === "edit" && <EditField field={open.field} onClose={close} />}
      {open?.what === "delete" && <DeleteField field={open.field} onClose={close} />}
    </>
  );
}

function DeleteField({ field, onClose }: { field: Field; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={t("deleteField.title", { name: field.name })}
      lead={t("deleteField.lead")}
      action={t("deleteField.action")}
      onClose={onClose}
      confirm={async () => {
        await call("DELETE /v1/fields/{id}", { path: { id: field.id } });
        await Promise.all(
          ["fields", "subscribers"].map((thing) => queries.invalidateQueries({ queryKey: [thing] })),
        );
        notify(t("deleteField.done", { name: field.name }));
      }}
    />
  );
}
