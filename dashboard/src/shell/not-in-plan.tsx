import "../i18n/later/plan-features.ts";
import { Link } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useMay } from "../api/may.ts";
import { type Feature, useHasFeature } from "../api/plan-features.ts";
import { Icon } from "../kit/icon.tsx";

/** Says that the plan doesn't include something, and what goes on all the same; nothing where it does. */
export function NotInPlan({ feature }: { feature: Feature }) {
  const { t } = useTranslation();
  const may = useMay();
  if (useHasFeature(feature)) return null;
  return (
    <div className="note warn line" role="status">
      <Icon of={Lock} />
      <span className="grow break">{t(`planFeatures.lacks.${feature}`)}</span>
      {may("billing:read") && (
        <Link className="btn btn-sm" to="/settings/billing">
          {t("planFeatures.see")}
        </Link>
      )}
    </div>
  );
}
