import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../../kit/icon.tsx";
import type { Draft } from "./draft.ts";
import { STEPS, type Step } from "./search.ts";

/** Suppressions need nobody's consent, so their last step before the import is the dry run. */
const stepsOf = (target: Draft["target"]): readonly Step[] =>
  target === "subscribers" ? STEPS : STEPS.slice(0, -1);

/** Where one is. Steps that are behind can be gone back to; nothing is lost by it. */
export function Steps({ target, now }: { target: Draft["target"]; now: Step }) {
  const { t } = useTranslation();
  const steps = stepsOf(target);
  const at = steps.indexOf(now);
  return (
    <nav className="steps" aria-label={t("wizard.steps.label")}>
      <ol>
        {steps.map((step, index) => (
          <li key={step} className={index < at ? "done" : index === at ? "now" : ""}>
            {index < at ? (
              <Link className="step" to="/imports/new" search={(before) => ({ ...before, step })}>
                <span className="no">
                  <Icon of={Check} size="sm" />
                </span>
                <span className="words">{t(`wizard.steps.${step}`)}</span>
              </Link>
            ) : (
              <span className="step" aria-current={index === at ? "step" : undefined}>
                <span className="no">{index + 1}</span>
                <span className="words">{t(`wizard.steps.${step}`)}</span>
              </span>
            )}
          </li>
        ))}
        <li>
          <span className="step">
            <span className="no">{steps.length + 1}</span>
            <span className="words">{t("wizard.steps.import")}</span>
          </span>
        </li>
      </ol>
    </nav>
  );
}
