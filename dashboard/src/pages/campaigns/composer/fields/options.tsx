import { useQuery } from "@tanstack/react-query";
import { memo, useId } from "react";
import { useTranslation } from "react-i18next";
import { query } from "../../../../api/queries.ts";
import { SelectField, TextField } from "../../../../kit/forms/field.tsx";
import type { Draft } from "../draft/use-draft.ts";
import type { EnvelopeDrafting } from "../draft/use-envelope.ts";
import { Group } from "../group.tsx";

const UTM = ["source", "medium", "campaign", "term", "content"] as const;
type Utm = NonNullable<Draft["utm"]>;
const NO_UTM: Utm = { source: null, medium: null, campaign: null, term: null, content: null };
const UTM_EXAMPLES: Readonly<Record<keyof Utm, string>> = {
  source: "newsletter",
  medium: "email",
  campaign: "winter",
  term: "",
  content: "",
};

export const Options = memo(function Options({ drafting }: { drafting: EnvelopeDrafting }) {
  const { t } = useTranslation();
  const { draft, change } = drafting;
  const { tracking } = draft;
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const isOff = account?.tracking === "off";
  return (
    <Group title={t("composer.options.title")}>
      <Switch
        label={t("composer.options.opens")}
        isOn={tracking.opens}
        onChange={(opens) => change({ tracking: { ...tracking, opens } })}
      />
      <Switch
        label={t("composer.options.clicks")}
        isOn={tracking.clicks}
        onChange={(clicks) => change({ tracking: { ...tracking, clicks } })}
      />
      {isOff && <p className="xs dim">{t("composer.options.trackingOff")}</p>}
      <Switch
        label={t("composer.options.archive")}
        hint={t("composer.options.archiveHint")}
        isOn={draft.archive}
        onChange={(archive) => change({ archive })}
      />
      <details className="composer-more" open={hasUtm(draft.utm) || undefined}>
        <summary className="sm med">{t("composer.options.utm")}</summary>
        <UtmFields drafting={drafting} />
      </details>
      <details className="composer-more">
        <summary className="sm med">{t("composer.options.ambiguous")}</summary>
        <SelectField
          name="on_ambiguous"
          label={t("composer.options.ambiguousLabel")}
          hint={t("composer.options.ambiguousHint")}
          value={draft.on_ambiguous}
          onChange={(event) => change({ on_ambiguous: event.target.value as Draft["on_ambiguous"] })}
          options={(["resend", "hold"] as const).map((value) => ({
            value,
            label: t(`composer.options.${value}`),
          }))}
        />
      </details>
    </Group>
  );
});

const hasUtm = (utm: Draft["utm"]) => utm !== null && Object.values(utm).some((value) => value !== null);

function UtmFields({ drafting: { draft, faults, change } }: { drafting: EnvelopeDrafting }) {
  const { t } = useTranslation();
  const utm = draft.utm ?? NO_UTM;
  return (
    <div className="stack">
      <p className="xs dim">{t("composer.options.utmHint")}</p>
      {UTM.map((part) => (
        <TextField
          key={part}
          name={`utm.${part}`}
          label={`utm_${part}`}
          value={utm[part] ?? ""}
          placeholder={UTM_EXAMPLES[part]}
          maxLength={200}
          autoComplete="off"
          fault={faults[`utm.${part}`]}
          onChange={(event) => {
            const next = { ...utm, [part]: event.target.value || null };
            change({ utm: hasUtm(next) ? next : null });
          }}
        />
      ))}
    </div>
  );
}

type SwitchProps = { label: string; hint?: string; isOn: boolean; onChange: (isOn: boolean) => void };

function Switch({ label, hint, isOn, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div>
      <label className="row between sm">
        <span>{label}</span>
        <input
          type="checkbox"
          role="switch"
          aria-checked={isOn}
          className="composer-switch"
          aria-describedby={hint && id}
          checked={isOn}
          onChange={(event) => onChange(event.target.checked)}
        />
      </label>
      {hint && (
        <p className="xs dim" id={id}>
          {hint}
        </p>
      )}
    </div>
  );
}
