import { Link } from "@tanstack/react-router";
import { Info } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Account } from "../../api/openapi.ts";
import { Checkbox } from "../../kit/forms/field.tsx";
import { RadioGroup } from "../../kit/forms/radio-group.tsx";
import { Icon } from "../../kit/icon.tsx";
import { AccountForm } from "./account-form.tsx";

const MODES = ["individual", "consented", "aggregate", "off"] as const;

/** Whose opens and clicks are recorded. */
export function TrackingSettings() {
  const { t } = useTranslation();
  const choices = MODES.map((mode) => ({
    value: mode,
    label: t(`trackingSettings.modes.${mode}`),
    hint: t(`trackingSettings.hints.${mode}`),
  }));
  return (
    <AccountForm
      title={t("trackingSettings.title")}
      lead={t("trackingSettings.lead")}
      labels={{ tracking: t("trackingSettings.legend"), honeypot_link: t("trackingSettings.honeypot") }}
      patchOf={(values) => ({
        tracking: values.textOrNull("tracking") as Account["tracking"],
        honeypot_link: values.isChecked("honeypot_link"),
      })}
    >
      {(account) => (
        <>
          {account.tracking === null && (
            <div className="note">
              <Icon of={Info} />
              <span>{t("trackingSettings.notChosen")}</span>
            </div>
          )}
          <RadioGroup
            name="tracking"
            legend={t("trackingSettings.legend")}
            choices={choices}
            defaultValue={account.tracking ?? ""}
          />
          <p className="sm mid">
            {t("trackingSettings.consent")}{" "}
            <Link to="/subscribers" className="link">
              {t("trackingSettings.consentLink")}
            </Link>
          </p>
          <Checkbox
            name="honeypot_link"
            label={t("trackingSettings.honeypot")}
            hint={t("trackingSettings.honeypotHint")}
            defaultChecked={account.honeypot_link}
          />
        </>
      )}
    </AccountForm>
  );
}
