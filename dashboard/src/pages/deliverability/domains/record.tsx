import { CircleCheck, CircleQuestionMark, CircleX, type LucideIcon, TriangleAlert } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DomainRecord } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { Alternatives } from "./alternatives.tsx";
import { purposeOf, type Urgency, urgencyOf } from "./record-state.ts";
import { RecordValue } from "./record-value.tsx";

const LOOKS: Readonly<Record<Urgency, { icon: LucideIcon; className: string }>> = {
  none: { icon: CircleCheck, className: "c-accent" },
  later: { icon: TriangleAlert, className: "c-warn" },
  now: { icon: CircleX, className: "c-danger" },
  unknown: { icon: CircleQuestionMark, className: "dim" },
};

/** One record: what it is for, how it is, and where it isn't well, what to type. */
export function DomainRecordRow({ record }: { record: DomainRecord }) {
  const { t } = useTranslation();
  const { icon, className } = LOOKS[urgencyOf(record)];
  const kind = t(`domains.kinds.${record.kind}`);
  const status = t(`domains.statuses.${record.status}`);
  return (
    <li className="record" aria-label={t("domains.record", { kind, status })}>
      <span className={`record-icon ${className}`}>
        <Icon of={icon} />
      </span>
      <div className="record-kind">
        <h3>{kind}</h3>
        <p className="sm dim">{t(`domains.purposes.${purposeOf(record)}`)}</p>
      </div>
      <div className="record-body">
        {record.status === "ok" ? <Good record={record} kind={kind} /> : <ToMend record={record} />}
      </div>
      <span className={`record-status state ${className}`}>{status}</span>
    </li>
  );
}

function ToMend({ record }: { record: DomainRecord }) {
  const { t } = useTranslation();
  const text = record.advice || (record.status === "unknown" && t("domains.unlooked"));
  return (
    <>
      {text && <p className="sm mid">{text}</p>}
      <RecordValue record={record} />
      {record.status !== "unknown" && <Alternatives record={record} />}
      {record.provider_hint && <p className="sm record-provider">{record.provider_hint}</p>}
    </>
  );
}

function Good({ record, kind }: { record: DomainRecord; kind: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <p className="sm mid">
        {record.advice || <GoodText record={record} />}{" "}
        <button
          type="button"
          className="text-button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={t(isOpen ? "domains.hideRecordOf" : "domains.showRecordOf", { kind })}
          onClick={() => setOpen(!isOpen)}
        >
          {t(isOpen ? "domains.hideRecord" : "domains.showRecord")}
        </button>
      </p>
      <div id={id} hidden={!isOpen}>
        {isOpen && <RecordValue record={record} />}
      </div>
    </>
  );
}

function GoodText({ record }: { record: DomainRecord }) {
  const { t } = useTranslation();
  const { name, details } = record;
  const purpose = purposeOf(record);
  const lookups = details?.["lookups"];
  if (purpose === "spf" && typeof lookups === "number")
    return t("domains.fine.spfLookups", { count: lookups, number: formatNumber(lookups) });
  return t(`domains.fine.${purpose}`, { name });
}
