import { Link } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
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
  const present = useRef<HTMLLIElement>(null);
  // On a narrow screen the steps are wider than it; the present one is always in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is looked for again at each step.
  useEffect(() => {
    present.current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [now]);
  return (
    <nav className="steps" aria-label={t("wizard.steps.label")}>
      <ol>
        {steps.map((step, index) => (
          <li
            key={step}
            ref={index === at ? present : undefined}
            className={index < at ? "done" : index === at ? "now" : ""}
          >
            <span className="no">{index < at ? <Icon of={Check} size="sm" /> : index + 1}</span>
            {index < at ? (
              <Link to="/imports/new" search={(before) => ({ ...before, step })}>
                {t(`wizard.steps.${step}`)}
              </Link>
            ) : (
              <span aria-current={index === at ? "step" : undefined}>{t(`wizard.steps.${step}`)}</span>
            )}
          </li>
        ))}
        <li>
          <span className="no">{steps.length + 1}</span>
          {t("wizard.steps.import")}
        </li>
      </ol>
    </nav>
  );
}
