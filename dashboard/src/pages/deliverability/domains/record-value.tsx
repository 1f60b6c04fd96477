/** One record as it is typed into a DNS host's panel: its name, what stands there now, and what should. */
import { Fragment, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { DomainRecord } from "../../../api/openapi.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { CopyIcon } from "../../../kit/copy-button.tsx";
import { differenceOf, type Part } from "./record-parts.ts";

export function RecordValue({ record }: { record: DomainRecord }) {
  const { t } = useTranslation();
  const { kind, type, name, host_label: label, expected, found, status, strings } = record;
  const hasNow = found.length > 0;
  // A record may do, and be better still: a DMARC record that doesn't name our address for reports yet.
  const isGood = status === "ok" && isAsWanted(record);
  return (
    <dl className="record-values">
      <dt className="label">{t("domains.recordName")}</dt>
      <dd>
        <code>
          {name} <span className="record-type">{type}</span>
        </code>
        <CopyIcon text={name} label={t("domains.copyName")} />
      </dd>
      {label !== name && (
        <>
          <dt className="label">{t("domains.hostLabel")}</dt>
          <dd>
            <code>{label}</code>
            <CopyIcon text={label} label={t("domains.copyHostLabel")} />
          </dd>
        </>
      )}
      {!isGood && status !== "unknown" && (
        <>
          <dt className="label">{t("domains.now")}</dt>
          {hasNow ? (
            found.map((value, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the DNS may hold the same value twice.
              <dd key={at}>
                <code>
                  <Parts parts={differenceOf(kind, value, expected ?? value).now} as="del" />
                </code>
              </dd>
            ))
          ) : (
            <dd>
              <code className="none">{t("domains.nothing")}</code>
            </dd>
          )}
        </>
      )}
      {expected !== null && (
        <>
          <dt className="label">{isGood ? t("domains.now") : t("domains.wanted")}</dt>
          <dd>
            <code>
              {isGood || status === "unknown" ? (
                expected
              ) : (
                <Parts parts={differenceOf(kind, found[0] ?? "", expected).wanted} as="ins" />
              )}
            </code>
            <CopyIcon text={expected} label={t("domains.copyValue")} />
            {strings.length > 1 && <Strings strings={strings} />}
          </dd>
        </>
      )}
    </dl>
  );
}

/** Keys are compared as bytes by the service, and hosts may be reached in several ways; of the others the texts are compared. */
function isAsWanted({ kind, expected, found }: DomainRecord): boolean {
  return (kind !== "dmarc" && kind !== "spf") || expected === null || found.includes(expected);
}

/** What is to be added or removed is said to screen readers too, for they don't tell of either element. */
function Parts({ parts, as: Element }: { parts: readonly Part[]; as: "ins" | "del" }) {
  const { t } = useTranslation();
  return parts.map(({ text, isChanged }, at) =>
    isChanged && text !== "" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one value have no other name.
      <Fragment key={at}>
        <Element>
          <span className="sr">{t(Element === "ins" ? "domains.added" : "domains.removed")} </span>
          {text.trimEnd()}
        </Element>
        {text.slice(text.trimEnd().length)}
      </Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same.
      <span key={at}>{text}</span>
    ),
  );
}

function Strings({ strings }: { strings: readonly string[] }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="record-strings">
      <button
        type="button"
        className="text-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {t("domains.strings")}
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <div className="stack">
            <p className="xs dim">{t("domains.stringsHint")}</p>
            <ol className="stack">
              {strings.map((one, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: their order is what they are.
                <li key={at} className="record-string">
                  <code>{one}</code>
                  <CopyIcon text={one} label={t("domains.copyString", { number: formatNumber(at + 1) })} />
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </div>
  );
}
