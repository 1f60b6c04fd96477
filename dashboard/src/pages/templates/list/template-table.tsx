import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Copy, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { TemplateSummary } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { useWho } from "../../../kit/who.ts";

type Props = { templates: readonly TemplateSummary[]; onDelete: (template: TemplateSummary) => void };

export function TemplateTable({ templates, onDelete }: Props) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const nameOf = useWho();
  const duplicate = useDuplicate();
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("templates.name")}</th>
            <th>{t("templates.published")}</th>
            <th>{t("templates.usedBy")}</th>
            <th>{t("templates.changed")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {templates.map((template) => {
            const { id, name, subject, used_by, updated_at, updated_by } = template;
            return (
              <tr key={id}>
                <td className="c-main">
                  <div className="stack tight">
                    <Link to="/templates/$id" params={{ id }} className="med cell-text" dir="auto">
                      {name}
                    </Link>
                    <span className="sm dim cell-text" dir="auto">
                      {subject}
                    </span>
                  </div>
                </td>
                <td data-label={t("templates.published")}>
                  <Published template={template} />
                </td>
                <td className="mid" data-label={t("templates.usedBy")}>
                  {used_by.campaigns === 0 ? (
                    <span className="dim">{t("templates.nothing")}</span>
                  ) : (
                    t("templates.campaigns", {
                      count: used_by.campaigns,
                      number: formatNumber(used_by.campaigns),
                    })
                  )}
                </td>
                <td className="dim" data-label={t("templates.changed")}>
                  <span className="stack tight">
                    <Time at={updated_at} />
                    <span className="xs cell-text" dir="auto">
                      {nameOf(updated_by)}
                    </span>
                  </span>
                </td>
                <td className="r c-menu">
                  <RowMenu
                    needs="templates:write"
                    name={name}
                    items={[
                      {
                        label: t("do.edit"),
                        icon: Pencil,
                        run: () => void navigate({ to: "/templates/$id", params: { id } }),
                      },
                      { label: t("templates.duplicate"), icon: Copy, run: () => void duplicate(id) },
                      { label: t("do.delete"), icon: Trash2, danger: true, run: () => onDelete(template) },
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

function Published({ template }: { template: TemplateSummary }) {
  const { t } = useTranslation();
  const { published_version, has_unpublished_changes } = template;
  if (published_version === null) return <span className="badge">{t("templates.notPublished")}</span>;
  return (
    <span className="row wrap">
      <span className="badge accent">{t("templates.version", { number: published_version })}</span>
      {has_unpublished_changes && <span className="badge warn">{t("templates.waiting")}</span>}
    </span>
  );
}

/** The copy is opened, for it has the draft of the other and wants to be changed. */
function useDuplicate() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  return async (id: string) => {
    try {
      const copy = await call("POST /v1/templates/{id}/duplicate", { path: { id } });
      await navigate({ to: "/templates/$id", params: { id: copy.id } });
      notify(t("templates.duplicated"));
      await queries.invalidateQueries({ queryKey: ["templates"] });
    } catch (thrown) {
      notifyFailure(asApiError(thrown).message);
    }
  };
}
