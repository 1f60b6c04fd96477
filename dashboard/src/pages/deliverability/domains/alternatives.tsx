/** The records that do the same as the one that is asked for, where a DNS host can't have that one. */
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DomainRecord } from "../../../api/openapi.ts";
import { CopyIcon } from "../../../kit/copy-button.tsx";
import { alternativesOf } from "./record-alternatives.ts";

export function Alternatives({ record }: { record: DomainRecord }) {
  const { t } = useTranslation();
  const { records, isNeeded } = alternativesOf(record);
  const [isShown, setShown] = useState(false);
  const id = useId();
  if (records.length === 0) return null;
  const isOpen = isNeeded || isShown;
  return (
    <div className="stack">
      {isNeeded ? (
        <p className="sm mid">{t("domains.alternativesNeeded")}</p>
      ) : (
        <span>
          <button
            type="button"
            className="text-button sm"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setShown(!isShown)}
          >
            {t("domains.alternatives", { types: records.map(({ type }) => type).join(" + ") })}
          </button>
        </span>
      )}
      <dl id={id} hidden={!isOpen} className={isOpen ? "record-values" : undefined}>
        {isOpen &&
          records.map(({ type, name, expected }) => (
            <div key={type} className="record-alternative">
              <dt className="label">{type}</dt>
              <dd>
                <code>
                  {expected} <span className="record-type">{name}</span>
                </code>
                <CopyIcon text={expected} label={t("domains.copyValueOf", { type })} />
              </dd>
            </div>
          ))}
      </dl>
    </div>
  );
}
