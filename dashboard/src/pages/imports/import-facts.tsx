import { useTranslation } from "react-i18next";
import type { Import } from "../../api/openapi.ts";
import { formatBytes } from "../../i18n/format.ts";
import { delimiterName } from "./delimiters.ts";

/** What the import was told to do. */
export function ImportFacts({ of: one }: { of: Import }) {
  const { t } = useTranslation();
  const { consent, on_conflict, tags, delimiter, encoding, trigger_automations, checks } = one.options;
  const used = Object.entries(one.mapping).filter(([, target]) => target !== "ignore");
  return (
    <section className="sect">
      <div className="sect-h">
        <h2>{t("imports.facts.title")}</h2>
      </div>
      <dl className="kv import-facts">
        <dt>{t("imports.facts.file")}</dt>
        <dd>
          {[
            formatBytes(one.file_bytes),
            t(`imports.delimiters.${delimiterName(delimiter)}`),
            encoding.toUpperCase(),
          ].join(" · ")}
        </dd>
        <dt>{t("imports.facts.columns")}</dt>
        <dd>
          <ul className="row wrap tags">
            {used.map(([column, target]) => (
              <li key={column} className="badge" title={`${column} → ${target}`}>
                {column} → {target}
              </li>
            ))}
          </ul>
        </dd>
        <dt>{t("imports.conflict.label")}</dt>
        <dd>{t(`imports.conflict.${on_conflict}`)}</dd>
        {tags.length > 0 && (
          <>
            <dt>{t("columns.tags")}</dt>
            <dd className="row wrap tags">
              {tags.map((tag) => (
                <span key={tag} className="badge trunc">
                  {tag}
                </span>
              ))}
            </dd>
          </>
        )}
        {one.target === "subscribers" && (
          <>
            <dt>{t("imports.checks.label")}</dt>
            <dd>{t(`imports.checks.${checks}`)}</dd>
            <dt>{t("nav.automations")}</dt>
            <dd>{t(trigger_automations ? "imports.facts.automations" : "imports.facts.noAutomations")}</dd>
          </>
        )}
        {consent && (
          <>
            <dt>{t("imports.consent.title")}</dt>
            <dd className="break">
              {[
                consent.attested ? t("imports.facts.attested") : t("imports.facts.notAttested"),
                consent.source,
                consent.wording && `“${consent.wording}”`,
              ]
                .filter(Boolean)
                .join(" · ")}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
