/** The half minute in which a campaign can still be taken back, counted down by the service's clock. */
import "../../../i18n/later/campaigns/sending.ts";
import "./sending.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { Campaign } from "../../../api/openapi.ts";
import { asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { notify, notifyFailure } from "../../../kit/toasts.tsx";
import { useServerNow } from "../campaign/use-server-now.ts";
import { statusIn } from "./refusal.tsx";

/** A campaign that leaves within this time is counted down, whoever planned it and however. */
const SHOWN_MS = 60_000;
const TICK_MS = 250;

type Leaving = Pick<Campaign, "id" | "name" | "status" | "send_at">;

/** How long it still waits; undefined where it doesn't, or not for so short a time. */
export function useLeavesInMs({ id, status, send_at: at }: Leaving): number | undefined {
  const isPlanned = status === "scheduled" && at !== null;
  const now = useServerNow(id, isPlanned ? TICK_MS : undefined);
  if (!isPlanned || now === undefined) return undefined;
  const leftMs = Date.parse(at) - now;
  return leftMs <= SHOWN_MS ? Math.max(0, leftMs) : undefined;
}

export function UndoBar({ campaign }: { campaign: Leaving }) {
  const leftMs = useLeavesInMs(campaign);
  if (leftMs === undefined) return null;
  return <Bar campaign={campaign} seconds={Math.ceil(leftMs / 1_000)} />;
}

function Bar({ campaign, seconds }: { campaign: Leaving; seconds: number }) {
  const { t } = useTranslation();
  const { id, name } = campaign;
  const { takeBack, busy } = useTakeBack(campaign);
  const { data: audience } = useQuery(query("GET /v1/campaigns/{id}/audience", { path: { id } }));
  const people = audience && { count: audience.will_get, number: formatNumber(audience.will_get) };
  const text =
    seconds === 0
      ? t("sending.undo.begins", { name })
      : people
        ? t("sending.undo.leaves", { name, seconds, ...people })
        : t("sending.undo.leavesPlain", { name, seconds });
  return (
    <section className="undo-bar" aria-label={t("sending.undo.label")}>
      <Icon of={Send} />
      <span className="num break">{text}</span>
      <span className="sr" role="status">
        {t("sending.undo.said")}
      </span>
      <Button kind="quiet" busy={busy} onClick={() => void takeBack()}>
        {t("sending.undo.takeBack")}
      </Button>
    </section>
  );
}

/** Takes it back, and leads to where it can be edited again. */
function useTakeBack({ id, name }: Pick<Campaign, "id" | "name">) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const textOf = useProblemText();
  const [busy, setBusy] = useState(false);
  const takeBack = async () => {
    setBusy(true);
    const taken = async (status: Campaign["status"]) => {
      notify(t(status === "draft" ? "sending.undo.taken" : "sending.undo.takenFailed", { name }));
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
      if (status === "draft") await navigate({ to: "/campaigns/$id/edit", params: { id } });
    };
    try {
      // Unscheduling is refused once the first mail may have left, where cancelling would end what is on the road.
      await taken((await call("POST /v1/campaigns/{id}/unschedule", { path: { id } })).status);
    } catch (thrown) {
      const error = asApiError(thrown);
      const now = statusIn(error);
      // Somebody else was faster, or the same person in another tab.
      if (now === "draft" || now === "failed") await taken(now);
      else {
        notifyFailure(error.status === 409 ? t("sending.undo.tooLate") : textOf(error));
        await queries.invalidateQueries({ queryKey: ["campaigns"] });
      }
    }
    setBusy(false);
  };
  return { takeBack, busy };
}
