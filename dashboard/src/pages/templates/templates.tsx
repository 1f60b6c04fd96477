/** The templates: what each is called, what of it is published, and what was made from it. */
import "../../i18n/later/writing/templates.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { FilePlus2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { TemplateSummary } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { SearchBox } from "../../shell/search-box.tsx";
import { DeleteTemplate } from "./list/delete-template.tsx";
import { NewTemplate } from "./list/new-template.tsx";
import { TemplateTable } from "./list/template-table.tsx";

const route = getRouteApi("/signed-in/templates");

export function Templates() {
  const { t } = useTranslation();
  const { q, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const [isMaking, setMaking] = useState(false);
  const [deleting, setDeleting] = useState<TemplateSummary>();
  const query = { ...(q && { q }), ...(cursor && { cursor }) };
  const found = useQuery(pageQuery("GET /v1/templates", { query }));
  const create = () => setMaking(true);
  useRegisterActions([
    {
      id: "new-template",
      label: t("templates.new"),
      icon: FilePlus2,
      keys: "n",
      needs: "templates:write",
      run: create,
    },
  ]);
  const button = (
    <Button kind="primary" icon={FilePlus2} needs="templates:write" onClick={create}>
      {t("templates.new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.templates")} sub={t("templates.lead")} actions={button} />
      {(q || (found.data && found.data.data.length > 0)) && (
        <div className="table-tools">
          <SearchBox
            key={q}
            value={q}
            label={t("templates.search")}
            placeholder={t("templates.searchHint")}
            maxLength={200}
            onSearch={(next) => void navigate({ search: { q: next } })}
          />
        </div>
      )}
      <Listing
        result={found}
        unreadable={t("templates.unreadable")}
        empty={
          q ? (
            <Empty title={t("templates.noneMatch")} text={t("templates.noneMatchText")}>
              <Button onClick={() => void navigate({ search: {} })}>{t("templates.clear")}</Button>
            </Empty>
          ) : (
            <Empty title={t("templates.none")} text={t("templates.noneText")}>
              {button}
            </Empty>
          )
        }
      >
        {(rows, page) => (
          <>
            <TemplateTable templates={rows} onDelete={setDeleting} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {isMaking && <NewTemplate onClose={() => setMaking(false)} />}
      {deleting && <DeleteTemplate template={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}
