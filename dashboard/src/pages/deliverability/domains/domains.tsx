/** The domains that mail comes from, each with its records: what stands in the DNS now against what should. */
import "../../../i18n/later/domains.ts";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { pageQuery } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";
import { DeliverabilityHead } from "../deliverability-head.tsx";
import { DomainCard } from "./domain-card.tsx";
import { DeleteDomain, EditDomain, NewDomain, RotateKey } from "./domain-dialogs.tsx";
import type { OpenDialog } from "./domain-menu.tsx";
import { isAtRest } from "./record-state.ts";

const route = getRouteApi("/signed-in/deliverability");
/** Each that is open is read every few seconds, and fills a screen; the others say in one line how they are. */
const MOST_OPENED = 3;

export function Domains() {
  const { t } = useTranslation();
  const { cursor } = route.useSearch();
  const [open, setOpen] = useState<OpenDialog | null>(null);
  const found = useQuery(pageQuery("GET /v1/domains", { query: cursor ? { cursor } : {} }));
  const close = () => setOpen(null);
  const create = {
    label: t("domains.new"),
    icon: Plus,
    needs: "domains:write" as const,
    run: () => setOpen({ what: "new" }),
  };
  useRegisterActions([{ ...create, id: "new-domain", keys: "n" }]);
  const button = (kind: "plain" | "primary") => (
    <Button kind={kind} icon={Plus} onClick={create.run}>
      {create.label}
    </Button>
  );
  return (
    <>
      <DeliverabilityHead tab="/deliverability" actions={button("plain")} />
      <Listing
        result={found}
        unreadable={t("domains.unreadable")}
        empty={
          <Empty title={t("domains.none")} text={t("domains.noneText")}>
            {button("primary")}
          </Empty>
        }
      >
        {(rows, page) => {
          const opened = rows.filter((domain) => !isAtRest(domain)).slice(0, MOST_OPENED);
          return (
            <>
              <div className="deliverability-body">
                {rows.map((domain) => (
                  <DomainCard
                    key={domain.id}
                    domain={domain}
                    startsOpen={opened.includes(domain) || (rows.length === 1 && !cursor)}
                    onOpen={setOpen}
                  />
                ))}
              </div>
              <Pager cursor={cursor} nextCursor={page.next_cursor} />
            </>
          );
        }}
      </Listing>
      {open?.what === "new" && <NewDomain onClose={close} />}
      {open?.what === "edit" && <EditDomain domain={open.domain} onClose={close} />}
      {open?.what === "rotate" && <RotateKey domain={open.domain} onClose={close} />}
      {open?.what === "delete" && <DeleteDomain domain={open.domain} onClose={close} />}
    </>
  );
}
