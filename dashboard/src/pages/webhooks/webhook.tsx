/** One endpoint: how it does, the log of what was posted to it, and one delivery of it beside. */
import "../../i18n/later/event-types.ts";
import "../../i18n/later/webhooks.ts";
import "./webhooks.css";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Ellipsis, FlaskConical, Pencil, Power, RotateCw, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Webhook, WebhookDelivery } from "../../api/openapi.ts";
import { pageQuery, query } from "../../api/queries.ts";
import { formatDuration, formatNumber, formatTime } from "../../i18n/format.ts";
import { Button } from "../../kit/button.tsx";
import { Icon } from "../../kit/icon.tsx";
import { Menu } from "../../kit/overlays/menu.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { useRegisterActions } from "../../shell/actions.ts";
import { AboutEndpoint } from "./about-endpoint.tsx";
import { CodeSamples } from "./code-samples.tsx";
import { DeliveryDetails } from "./delivery.tsx";
import { DeliveryLog } from "./delivery-log.tsx";
import { EndpointDialogs, type Open, useEndpointMenu, useSwitch } from "./endpoint-dialogs.tsx";
import { EVERYTHING, typesWanted } from "./event-choice.ts";
import { healthOf } from "./health.ts";
import type { DeliverySearch } from "./search.ts";
import { EndpointState } from "./state.tsx";
import { useMayWrite } from "./use-may-write.ts";

const route = getRouteApi("/signed-in/webhooks/$id");
/** Deliveries are no events, so nothing tells of them. */
const LOOK_EVERY_MS = 3_000;

export function WebhookPage() {
  const { t } = useTranslation();
  const { id } = route.useParams();
  const found = useQuery({
    ...query("GET /v1/webhooks/{id}", { path: { id } }),
    refetchInterval: LOOK_EVERY_MS,
  });
  if (found.data) return <Endpoint key={id} webhook={found.data} />;
  return (
    <>
      <PageHead title={t("webhooks.one.title")} crumb={{ label: t("nav.webhooks"), to: "/webhooks" }} />
      {found.error ? (
        <Failure title={t("webhooks.unreadable")} error={found.error} retry={() => void found.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </>
  );
}

function Endpoint({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const { id } = webhook;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  const [open, setOpen] = useState<Open>(null);
  const { status, type, cursor, delivery } = search;
  const deliveries = useQuery({
    ...pageQuery("GET /v1/webhooks/{id}/deliveries", {
      path: { id },
      query: { ...(status && { status }), ...(type && { type }), ...(cursor && { cursor }) },
    }),
    // A page further back stands still while somebody reads it.
    refetchInterval: cursor ? false : LOOK_EVERY_MS,
  });
  const go = (next: DeliverySearch) => void navigate({ search: next, resetScroll: false });
  return (
    <div className="webhook-page">
      <PageHead
        title={webhook.url}
        crumb={{ label: t("nav.webhooks"), to: "/webhooks" }}
        sub={<StateLine webhook={webhook} />}
        {...(mayWrite && { actions: <Actions webhook={webhook} onOpen={setOpen} /> })}
      />
      <Notes webhook={webhook} />
      <div className="webhook-body">
        <DeliveryLog
          webhook={webhook}
          search={search}
          deliveries={deliveries}
          onSearch={(filter) => go({ ...filter, delivery })}
          onReplay={
            mayWrite && webhook.status === "enabled" ? () => setOpen({ what: "replay", webhook }) : undefined
          }
        />
        <aside
          className={delivery ? "webhook-side with-delivery" : "webhook-side"}
          aria-label={delivery ? t("webhooks.one.details") : t("webhooks.about.title")}
        >
          {delivery ? (
            <DeliveryDetails
              webhook={webhook}
              id={delivery}
              onClose={() => go({ ...search, delivery: undefined })}
            />
          ) : (
            <>
              <AboutEndpoint webhook={webhook} />
              <CodeSamples url={webhook.url} />
            </>
          )}
        </aside>
      </div>
      <EndpointDialogs
        open={open}
        setOpen={setOpen}
        onOpenDelivery={(_, deliveryId) => go({ delivery: deliveryId })}
        onDeleted={() => void navigate({ to: "/webhooks" })}
      />
    </div>
  );
}

function StateLine({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const { id, events } = webhook;
  const last = useQuery({
    ...query("GET /v1/webhooks/{id}/deliveries", { path: { id }, query: {} }),
    refetchInterval: LOOK_EVERY_MS,
  }).data;
  const count = typesWanted(events).length;
  return (
    <>
      <EndpointState webhook={webhook} />
      <span>
        {events.includes(EVERYTHING)
          ? t("webhooks.everything")
          : t("webhooks.types", { count, number: formatNumber(count) })}
      </span>
      {last && <LastDeliveries deliveries={last.data} />}
    </>
  );
}

function LastDeliveries({ deliveries }: { deliveries: readonly WebhookDelivery[] }) {
  const { t } = useTranslation();
  const { counted, delivered, middleMs } = healthOf(deliveries);
  const count = counted.length;
  if (count === 0) return <span>{t("webhooks.nothingPosted")}</span>;
  const number = formatNumber(count);
  return (
    <>
      <span>{t("webhooks.delivered", { count, number, delivered: formatNumber(delivered) })}</span>
      {middleMs !== undefined && <span>{t("webhooks.middle", { duration: formatDuration(middleMs) })}</span>}
    </>
  );
}

function Actions({ webhook, onOpen }: { webhook: Webhook; onOpen: (open: Open) => void }) {
  const { t } = useTranslation();
  const menuOf = useEndpointMenu(onOpen);
  const test = () => onOpen({ what: "test", webhook });
  const edit = () => onOpen({ what: "edit", webhook });
  useRegisterActions([
    { id: "test-webhook", label: t("webhooks.test.open"), icon: FlaskConical, run: test },
    { id: "edit-webhook", label: t("do.edit"), icon: Pencil, keys: "e", run: edit },
  ]);
  return (
    <>
      <Menu trigger={<Button icon={Ellipsis} aria-label={t("do.more")} />} items={menuOf(webhook, true)} />
      <Button icon={FlaskConical} onClick={test}>
        {t("webhooks.test.open")}
      </Button>
      <Button icon={Pencil} onClick={edit}>
        {t("do.edit")}
      </Button>
    </>
  );
}

/** What somebody must know before they read the log. */
function Notes({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation();
  const mayWrite = useMayWrite();
  const { isBusy, switchOn } = useSwitch();
  const { disabled_reason: why, disabled_at: offAt, failing_since: failingAt, replay } = webhook;
  return (
    <>
      {webhook.status === "disabled" && (
        <div className={why === "by_user" ? "note webhook-note" : "note danger webhook-note"}>
          <Icon of={TriangleAlert} />
          <div className="grow">
            <b>{offAt && t("webhooks.offSince", { time: formatTime(offAt) })}</b>{" "}
            {why && t(`webhooks.whyOff.${why}`)} {t("webhooks.offMore")}
          </div>
          {mayWrite && (
            <Button size="sm" icon={Power} busy={isBusy} onClick={() => void switchOn(webhook)}>
              {t("webhooks.switchOn")}
            </Button>
          )}
        </div>
      )}
      {webhook.status === "enabled" && failingAt && (
        <div className="note warn webhook-note">
          <Icon of={TriangleAlert} />
          <div>
            <b>{t("webhooks.failingSince", { time: formatTime(failingAt) })}</b> {t("webhooks.failingMore")}
          </div>
        </div>
      )}
      {replay && (
        <div className="note info webhook-note" role="status">
          <Icon of={RotateCw} />
          <div>
            {t("webhooks.replay.runs", {
              count: replay.delivered,
              number: formatNumber(replay.delivered),
              time: formatTime(replay.started_at),
            })}
          </div>
        </div>
      )}
    </>
  );
}
