/** The automations: what each is called, for which list it is, and where a new one begins. */
import "../../i18n/later/automations/automations.ts";
import "../../i18n/later/automations/lifecycle.ts";
import "../../i18n/later/automations/starts.ts";
import "./automations.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMay } from "../../api/may.ts";
import type { AutomationSummary } from "../../api/openapi.ts";
import { pageQuery } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Empty } from "../../kit/states.tsx";
import { Listing } from "../../kit/tables/listing.tsx";
import { Pager } from "../../kit/tables/pager.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { NotInPlan } from "../../shell/not-in-plan.tsx";
import { SearchBox } from "../../shell/search-box.tsx";
import { AutomationTable } from "./list/automation-table.tsx";
import { DeleteAutomation } from "./list/delete-automation.tsx";
import { NewAutomation } from "./list/new-automation.tsx";
import { StartCards } from "./list/start-cards.tsx";
import type { StartKey } from "./list/starts.ts";

const route = getRouteApi("/signed-in/automations");

export function Automations() {
  const { t } = useTranslation();
  const may = useMay();
  const { q, cursor } = route.useSearch();
  const navigate = route.useNavigate();
  const [making, setMaking] = useState<StartKey>();
  const [deleting, setDeleting] = useState<AutomationSummary>();
  const query = { ...(q && { q }), ...(cursor && { cursor }) };
  const found = useQuery(pageQuery("GET /v1/automations", { query }));
  const create = () => setMaking("welcome");
  useRegisterActions([
    {
      id: "new-automation",
      label: t("automations.new"),
      icon: Plus,
      keys: "n",
      needs: "automations:write",
      run: create,
    },
  ]);
  const button = (
    <Button kind="primary" icon={Plus} needs="automations:write" onClick={create}>
      {t("automations.new")}
    </Button>
  );
  return (
    <>
      <PageHead title={t("nav.automations")} sub={t("automations.lead")} actions={button} />
      <NotInPlan feature="automations" />
      {(q || (found.data && found.data.data.length > 0)) && (
        <div className="table-tools">
          <SearchBox
            key={q}
            value={q}
            label={t("automations.search")}
            placeholder={t("automations.searchHint")}
            maxLength={200}
            onSearch={(next) => void navigate({ search: { q: next } })}
          />
        </div>
      )}
      <Listing
        result={found}
        unreadable={t("automations.unreadable")}
        empty={
          q ? (
            <Empty title={t("automations.noneMatch")} text={t("automations.noneMatchText")}>
              <Button onClick={() => void navigate({ search: {} })}>{t("automations.clear")}</Button>
            </Empty>
          ) : (
            <>
              <Empty title={t("automations.none")} text={t("automations.noneText")}>
                {button}
              </Empty>
              {may("automations:write") && <StartCards onChoose={setMaking} />}
            </>
          )
        }
      >
        {(rows, page) => (
          <>
            <AutomationTable automations={rows} onDelete={setDeleting} />
            <Pager cursor={cursor} nextCursor={page.next_cursor} />
          </>
        )}
      </Listing>
      {making && <NewAutomation start={making} onClose={() => setMaking(undefined)} />}
      {deleting && <DeleteAutomation automation={deleting} onClose={() => setDeleting(undefined)} />}
    </>
  );
}
