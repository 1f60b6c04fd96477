/** What needs somebody: only what the API knows, each with what to do and, where there is a page for it, the way there. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileText, type LucideIcon, MailX, Pause, TriangleAlert, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import { useMay } from "../../api/may.ts";
import type { Account, CampaignSummary, Import } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { query } from "../../api/queries.ts";
import { formatNumber } from "../../i18n/format.ts";
import { AddressLink } from "../../kit/address-link.tsx";
import { Button } from "../../kit/button.tsx";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { Icon } from "../../kit/icon.tsx";
import { notify } from "../../kit/toasts.tsx";
import { setPreferences, usePreferences } from "../../shell/preferences.ts";
import { useCampaigns } from "./campaign-queries.ts";

type Item = {
  readonly id: string;
  readonly icon: LucideIcon;
  readonly tone: "c-danger" | "c-warn" | "c-info";
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
  /** News that nobody has to act on can be put away. */
  readonly putAway?: () => void;
};

/** An import is news for so long. */
const IMPORT_NEWS_MS = 7 * 86_400_000;
/** The oldest are forgotten; they are no news by then. */
const MOST_PUT_AWAY = 100;

export function useAttention({
  account,
  mayChange,
}: {
  account: Account;
  mayChange: boolean;
}): readonly Item[] {
  const ofAccount = useAccountItems(account, mayChange);
  const ofCampaigns = useCampaignItems();
  return [...ofAccount, ...ofCampaigns, ...useImportItems()];
}

function useAccountItems(account: Account, mayChange: boolean): readonly Item[] {
  const { t } = useTranslation();
  const { data: sending } = useQuery(query("GET /v1/sending", {}));
  if (!sending) return [];
  const items: Item[] = sending.checks
    .filter(({ severity }) => severity !== "info")
    .map(({ code, severity, message, remedy }) => ({
      id: code,
      icon: TriangleAlert,
      tone: severity === "error" ? "c-danger" : "c-warn",
      title: message,
      text: remedy,
    }));
  // In the sandbox a mail needs neither.
  if (sending.leaves_by === "sandbox") return items;
  const action = mayChange && <Way href="/settings/sender">{t("attention.openSender")}</Way>;
  const lacking = (id: string, title: string, text: string): Item => {
    return { id, icon: MailX, tone: "c-warn", title, text, ...(action && { action }) };
  };
  if (!account.from_email)
    items.push(lacking("sender", t("attention.noSender"), t("attention.noSenderText")));
  if (!account.postal_address)
    items.push(lacking("postal", t("attention.noPostal"), t("attention.noPostalText")));
  return items;
}

function useCampaignItems(): readonly Item[] {
  const { t, i18n } = useTranslation();
  const paused = useCampaigns({ status: "paused", limit: 10 });
  const failed = useCampaigns({ status: "failed", limit: 5 });
  const reasonOf = ({ pause_reason }: CampaignSummary) => {
    const key = `attention.reason.${pause_reason}`;
    return i18n.exists(key) ? t(key as "attention.reason.requested") : t("attention.reason.requested");
  };
  const stopped = paused.map((campaign): Item => {
    const isAsked = campaign.pause_reason === "requested";
    return {
      id: campaign.id,
      icon: isAsked ? Pause : TriangleAlert,
      tone: isAsked ? "c-info" : "c-warn",
      title: t("attention.pausedTitle", { name: campaign.name }),
      text: [reasonOf(campaign), campaign.status_reason].filter(Boolean).join(" "),
      action: (
        <>
          <Way href={`/campaigns/${campaign.id}`}>{t("attention.openCampaign")}</Way>
          <Resume campaign={campaign} />
        </>
      ),
    };
  });
  const broken = failed.map((campaign): Item => {
    const { id, name, status_reason: why } = campaign;
    const text = [why, t("attention.failedText")].filter(Boolean).join(" ");
    const action = (
      <Way key={id} href={`/campaigns/${id}`}>
        {t("attention.openCampaign")}
      </Way>
    );
    return {
      id,
      icon: TriangleAlert,
      tone: "c-danger",
      title: t("attention.failedTitle", { name }),
      text,
      action,
    };
  });
  return [...stopped, ...broken];
}

function useImportItems(): readonly Item[] {
  const { t } = useTranslation();
  const enabled = useMay()("subscribers:read");
  const { data } = useQuery({ ...query("GET /v1/imports", { query: { limit: 10 } }), enabled });
  const { putAway } = usePreferences();
  const isNews = ({ id, dry_run, created_at }: Import) =>
    !dry_run && !putAway.includes(id) && Date.now() - new Date(created_at).getTime() < IMPORT_NEWS_MS;
  return (data?.data ?? []).filter(isNews).flatMap((one): Item[] => {
    const { id, file_name: file, status, counts, error } = one;
    const action = (
      <Way key={id} href={`/imports/${id}`}>
        {t("attention.openImport")}
      </Way>
    );
    const common = {
      id,
      icon: FileText,
      tone: "c-info" as const,
      action,
      putAway: () => setPreferences({ putAway: [...putAway, id].slice(-MOST_PUT_AWAY) }),
    };
    if (status === "failed")
      return [{ ...common, title: t("attention.importFailed", { file }), text: error?.detail ?? "" }];
    if (status !== "completed" || counts.failed === 0) return [];
    const cameIn = counts.created + counts.updated;
    return [
      {
        ...common,
        title: t("attention.importLeftOut", {
          file,
          count: counts.failed,
          number: formatNumber(counts.failed),
        }),
        text: t("attention.importCameIn", { count: cameIn, number: formatNumber(cameIn) }),
      },
    ];
  });
}

function Way({ href, children }: { href: string; children: ReactNode }) {
  return (
    <AddressLink className="btn btn-sm" href={href}>
      {children}
    </AddressLink>
  );
}

function Resume({ campaign }: { campaign: CampaignSummary }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [error, setError] = useState<ApiError>();
  if (!campaign.allowed_actions.includes("resume")) return null;
  const resume = async () => {
    setError(undefined);
    try {
      await call("POST /v1/campaigns/{id}/resume", { path: { id: campaign.id } });
      notify(t("home.resumed", { name: campaign.name }));
    } catch (thrown) {
      setError(asApiError(thrown));
    }
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
  };
  return (
    <>
      <Button size="sm" onClick={() => void resume()}>
        {t("home.resume")}
      </Button>
      {error && <ProblemNote error={error} />}
    </>
  );
}

export function Attention({ items }: { items: readonly Item[] }) {
  const { t } = useTranslation();
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("home.needsYou")}</h2>
      </div>
      <ul className="needs">
        {items.map(({ id, icon, tone, title, text, action, putAway }) => (
          <li key={id}>
            <span className={tone}>
              <Icon of={icon} />
            </span>
            <div>
              <div className="med break" dir="auto">
                {title}
              </div>
              <div className="sm dim break">{text}</div>
            </div>
            {(action || putAway) && (
              <div className="row wrap">
                {action}
                {putAway && (
                  <Button
                    kind="quiet"
                    size="sm"
                    icon={X}
                    aria-label={t("attention.putAway", { title })}
                    onClick={putAway}
                  />
                )}
              </div>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
