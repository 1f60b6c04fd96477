/** The checks that stop a send, each with a way to it, and those that are worth a look. */
import { Link } from "@tanstack/react-router";
import { CircleAlert, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CampaignCheck } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";

type Show = ((check: CampaignCheck) => void) | undefined;

export const stopsOf = (checks: readonly CampaignCheck[]) =>
  checks.filter(({ severity }) => severity === "error");

export function ReviewChecks({ checks, onShow }: { checks: readonly CampaignCheck[]; onShow: Show }) {
  const { t } = useTranslation();
  const stops = stopsOf(checks);
  const warnings = checks.filter(({ severity }) => severity === "warning");
  if (stops.length + warnings.length === 0) return <p className="sm dim">{t("sending.checks.none")}</p>;
  return (
    <>
      {stops.length > 0 && (
        <div className="note danger" role="alert">
          <Icon of={CircleAlert} />
          <Checks
            title={t("sending.checks.stop", { count: stops.length, number: formatNumber(stops.length) })}
            checks={stops}
            onShow={onShow}
          />
        </div>
      )}
      {warnings.length > 0 && (
        <div className="note warn">
          <Icon of={TriangleAlert} />
          <Checks
            title={t("sending.checks.warn", {
              count: warnings.length,
              number: formatNumber(warnings.length),
            })}
            checks={warnings}
            onShow={onShow}
          />
        </div>
      )}
    </>
  );
}

function Checks({
  title,
  checks,
  onShow,
}: {
  title: string;
  checks: readonly CampaignCheck[];
  onShow: Show;
}) {
  return (
    <div className="stack tight grow">
      <b>{title}</b>
      <ul className="stack tight">
        {checks.map((check) => (
          <li key={`${check.code} ${check.place?.line ?? ""} ${check.place?.column ?? ""}`} className="break">
            {check.message} {check.severity === "error" && check.remedy} <Way check={check} onShow={onShow} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What is wrong with the account or the instance is mended in the settings; all else in the draft behind the dialog. */
const SETTINGS: Readonly<Record<string, "/settings/sender" | "/settings/guardrails" | "/settings/health">> = {
  missing_from: "/settings/sender",
  missing_postal_address: "/settings/sender",
  guardrail_hold: "/settings/guardrails",
  unsubscribe_not_served: "/settings/health",
  public_url_not_reachable: "/settings/health",
};

function Way({ check, onShow }: { check: CampaignCheck; onShow: Show }) {
  const { t } = useTranslation();
  const to = SETTINGS[check.code];
  if (to) return <Link to={to}>{t("sending.checks.fix")}</Link>;
  if (!onShow) return null;
  return (
    <button type="button" className="text-button" onClick={() => onShow(check)}>
      {t("sending.checks.show")}
    </button>
  );
}
