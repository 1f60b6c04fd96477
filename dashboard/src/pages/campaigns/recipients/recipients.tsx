/** Whom a campaign went to: what became of each mail, what the server said, and what the readers did. */
import "../../../i18n/later/campaigns/recipients.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Filter, Send } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { pageQuery, query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { Empty } from "../../../kit/states.tsx";
import { Listing } from "../../../kit/tables/listing.tsx";
import { Pager } from "../../../kit/tables/pager.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { useRegisterActions } from "../../../shell/actions.ts";
import { SearchBox } from "../../../shell/search-box.tsx";
import { Tally } from "../tally/tally.tsx";
import { RecipientDetails } from "./details.tsx";
import { ExportRecipients } from "./export-button.tsx";
import { NarrowFilter, StateFilter } from "./filters.tsx";
import "./recipients.css";
import { eventOf, narrowedTo, queryOf, type RecipientsSearch } from "./search.ts";
import { RecipientTable } from "./table.tsx";

const MakeSegment = lazyPart(() => import("./make-segment.tsx"));
const ResendDialog = lazyPart(() =>
  import("./resend.tsx").then(({ ResendDialog: component }) => ({ default: component })),
);

const route = getRouteApi("/signed-in/campaigns/$id/recipients");
const LOOK_EVERY_MS = 3_000;
const OVER: ReadonlySet<string> = new Set(["sent", "canceled", "failed"]);

export function CampaignRecipients() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<"segment" | "resend">();
  const campaign = useQuery(query("GET /v1/campaigns/{id}", { path: { id } }));
  const status = campaign.data?.status;
  // What a cancelled campaign leaves over is skipped a moment later, and no event tells of it.
  const isMoving = (queued = 0) => status === "sending" || (status === "canceled" && queued > 0);
  const stats = useQuery({
    ...query("GET /v1/campaigns/{id}/stats", { path: { id } }),
    refetchInterval: ({ state }) => (isMoving(state.data?.queued) ? LOOK_EVERY_MS : false),
  }).data;
  const asked = queryOf(search);
  const recipients = useQuery({
    ...pageQuery("GET /v1/campaigns/{id}/recipients", { path: { id }, query: asked }),
    refetchInterval: isMoving(stats?.queued) ? LOOK_EVERY_MS : false,
  });
  const change = (more: RecipientsSearch) =>
    void navigate({ search: { ...search, cursor: undefined, shown: undefined, ...more } });
  const canResend = campaign.data !== undefined && OVER.has(campaign.data.status) && (stats?.sent ?? 0) > 0;
  useRegisterActions([
    {
      id: "recipients-segment",
      label: t("recipients.segment.open"),
      icon: Filter,
      run: () => setDialog("segment"),
    },
    ...(canResend
      ? [
          {
            id: "recipients-resend",
            label: t("recipients.resend.open"),
            icon: Send,
            run: () => setDialog("resend"),
          },
        ]
      : []),
  ]);
  const shown = recipients.data?.data.find((row) => row.id === search.shown);
  return (
    <>
      <div className="recipients-head">
        {stats && stats.recipients > 0 && <Tally stats={stats} />}
        <div className="row wrap">
          <StateFilter search={search} stats={stats} onChange={change} />
          <NarrowFilter search={search} stats={stats} onChange={change} />
        </div>
        <div className="row wrap">
          <ExportRecipients
            campaignId={id}
            event={eventOf(search)}
            machines={search.machines === true}
            narrowed={narrowedTo(search)}
          />
          <Button icon={Filter} onClick={() => setDialog("segment")}>
            {t("recipients.segment.open")}
          </Button>
          {canResend && (
            <Button icon={Send} onClick={() => setDialog("resend")}>
              {t("recipients.resend.open")}
            </Button>
          )}
          <span className="grow" />
          <SearchBox
            key={search.email}
            value={search.email}
            label={t("recipients.search")}
            placeholder={t("recipients.exact")}
            maxLength={254}
            onSearch={(email) =>
              void navigate({ search: email ? { email } : { status: search.status, event: search.event } })
            }
          />
        </div>
      </div>
      <div className={shown ? "recipients-body with-details" : "recipients-body"}>
        <div>
          <Listing
            result={recipients}
            unreadable={t("recipients.unreadable")}
            empty={
              <Empty
                title={search.email ? t("recipients.noAddress") : t("recipients.none")}
                text={search.email ? t("recipients.noAddressText") : t("recipients.noneText")}
              />
            }
          >
            {(rows, page) => (
              <>
                <RecipientTable rows={rows} campaignId={id} search={search} />
                <Pager
                  cursor={search.cursor}
                  nextCursor={page.next_cursor}
                  prefetch={(cursor) =>
                    void queries.prefetchQuery(
                      query("GET /v1/campaigns/{id}/recipients", {
                        path: { id },
                        query: { ...asked, cursor },
                      }),
                    )
                  }
                />
              </>
            )}
          </Listing>
        </div>
        {shown && (
          <RecipientDetails
            row={shown}
            onClose={() => void navigate({ search: { ...search, shown: undefined }, resetScroll: false })}
          />
        )}
      </div>
      <Suspense>
        {dialog === "segment" && (
          <MakeSegment
            campaignId={id}
            event={eventOf(search)}
            machines={search.machines === true}
            stats={stats}
            onClose={() => setDialog(undefined)}
          />
        )}
        {dialog === "resend" && campaign.data && (
          <ResendDialog campaign={campaign.data} onClose={() => setDialog(undefined)} />
        )}
      </Suspense>
    </>
  );
}
