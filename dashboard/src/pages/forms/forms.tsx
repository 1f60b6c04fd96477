/** The sign-up forms: where people land, and whether they are taken. */
import "../../i18n/later/forms.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { ExternalLink, FilePlus2, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Form } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { ListPage } from "../../kit/tables/list-page.tsx";
import { RowMenu } from "../../kit/tables/row-menu.tsx";
import { Time } from "../../kit/time.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { useLists } from "../subscribers/reference-data.ts";
import { DeleteForm } from "./delete-form.tsx";
import { useFieldName } from "./field-names.ts";
import { FormState } from "./form-state.tsx";
import { NewForm } from "./new-form.tsx";

const route = getRouteApi("/signed-in/forms");

export function Forms() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [isMaking, setMaking] = useState(false);
  const [deleting, setDeleting] = useState<Form>();
  const found = useQuery(pageQuery("GET /v1/forms", { query: cursor ? { cursor } : {} }));
  const create = {
    label: t("forms.new"),
    icon: FilePlus2,
    needs: "forms:write" as const,
    run: () => setMaking(true),
  };
  useRegisterActions([{ ...create, id: "new-form", keys: "n" }]);
  return (
    <>
      <ListPage
        title={t("nav.forms")}
        lead={t("forms.lead")}
        create={create}
        result={found}
        cursor={cursor}
        unreadable={t("forms.unreadable")}
        none={t("forms.none")}
        noneText={t("forms.noneText")}
      >
        {(rows) => <FormTable forms={rows} onDelete={setDeleting} />}
      </ListPage>
      {isMaking && <NewForm onClose={() => setMaking(false)} />}
      {deleting && <DeleteForm form={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}

function FormTable({ forms, onDelete }: { forms: readonly Form[]; onDelete: (form: Form) => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const lists = useLists();
  const nameOf = useFieldName();
  return (
    <div className="tw">
      <table className="table-edge stacked">
        <thead>
          <tr>
            <th>{t("forms.name")}</th>
            <th>{t("forms.state")}</th>
            <th>{t("forms.list")}</th>
            <th>{t("forms.asks")}</th>
            <th>{t("forms.changed")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {forms.map((form) => {
            const { id, name, url, list_id, fields, updated_at } = form;
            return (
              <tr key={id}>
                <td className="c-main">
                  <Link to="/forms/$id" params={{ id }} className="med cell-text" dir="auto">
                    {name}
                  </Link>
                </td>
                <td data-label={t("forms.state")}>
                  <FormState form={form} />
                </td>
                <td className="mid" data-label={t("forms.list")}>
                  <span className="cell-text" dir="auto">
                    {lists.find((list) => list.id === list_id)?.name}
                  </span>
                </td>
                <td className="mid" data-label={t("forms.asks")}>
                  <span className="cell-text" dir="auto">
                    {fields.map((field) => field.label ?? nameOf(field.name)).join(", ")}
                  </span>
                </td>
                <td className="dim" data-label={t("forms.changed")}>
                  <Time at={updated_at} />
                </td>
                <td className="r c-menu">
                  <RowMenu
                    needs="forms:write"
                    name={name}
                    items={[
                      {
                        label: t("do.edit"),
                        icon: Pencil,
                        run: () => void navigate({ to: "/forms/$id", params: { id } }),
                      },
                      {
                        label: t("forms.open"),
                        icon: ExternalLink,
                        run: () => void window.open(url, "_blank", "noreferrer"),
                      },
                      { label: t("do.delete"), icon: Trash2, danger: true, run: () => onDelete(form) },
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
