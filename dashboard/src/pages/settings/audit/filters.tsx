import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { query } from "../../../api/queries.ts";
import type { AuditSearch } from "./search.ts";
import { KINDS } from "./words.ts";

const WITHOUT_ID = ["operator", "system", "stranger"] as const;
const MOST = 200;

type FiltersProps = { search: AuditSearch; onChoose: (next: AuditSearch) => void };

export function AuditFilters({ search, onChoose }: FiltersProps) {
  const { t } = useTranslation();
  const days = ["since", "until"] as const;
  return (
    <div className="audit-filters">
      <WhoFilter search={search} onChoose={onChoose} />
      <label className="field">
        <span className="flabel">{t("audit.what")}</span>
        <select
          className="input"
          value={search.about ?? ""}
          onChange={(event) => onChoose({ about: event.target.value || undefined })}
        >
          <option value="">{t("audit.everything")}</option>
          {KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {t(`audit.kinds.${kind}`)}
            </option>
          ))}
        </select>
      </label>
      {days.map((name) => (
        <label key={name} className="field">
          <span className="flabel">{t(`audit.${name}`)}</span>
          <input
            type="date"
            className="input"
            value={search[name] ?? ""}
            onChange={(event) => onChoose({ [name]: event.target.value || undefined })}
          />
        </label>
      ))}
    </div>
  );
}

function WhoFilter({ search: { actor }, onChoose }: FiltersProps) {
  const { t } = useTranslation();
  const users = useQuery(query("GET /v1/users", { query: { limit: MOST } }));
  const keys = useQuery(query("GET /v1/api_keys", { query: { limit: MOST } }));
  const people = (users.data?.data ?? []).map(({ id, name, email }) => ({ id, label: name || email }));
  const programs = (keys.data?.data ?? []).map(({ id, name }) => ({ id, label: name }));
  const known = [...people, ...programs].some(({ id }) => id === actor);
  const isGone = actor !== undefined && !known && actor.includes("_");
  return (
    <label className="field">
      <span className="flabel">{t("audit.who")}</span>
      <select
        className="input"
        value={actor ?? ""}
        onChange={(event) => onChoose({ actor: event.target.value || undefined })}
      >
        <option value="">{t("audit.everybody")}</option>
        {isGone && <option value={actor}>{actor}</option>}
        <Group label={t("audit.people")} options={people} />
        <Group label={t("audit.keys")} options={programs} />
        <Group
          label={t("audit.others")}
          options={WITHOUT_ID.map((id) => ({ id, label: t(`audit.actors.${id}`) }))}
        />
      </select>
    </label>
  );
}

type Option = { readonly id: string; readonly label: string };

function Group({ label, options }: { label: string; options: readonly Option[] }) {
  if (options.length === 0) return null;
  return (
    <optgroup label={label}>
      {options.map((option) => (
        <option key={option.id} value={option.id}>
          {option.label}
        </option>
      ))}
    </optgroup>
  );
}
