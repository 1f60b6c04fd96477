/** What is pasted into a site, so that the form stands there. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Form } from "../../api/openapi.ts";
import { query } from "../../api/queries.ts";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";

const KINDS = ["html", "script_inline", "script_popup"] as const;

export function FormSnippet({ form: { id } }: { form: Form }) {
  const { t } = useTranslation();
  const [kind, setKind] = useState<(typeof KINDS)[number]>("html");
  const found = useQuery(query("GET /v1/forms/{id}/snippet", { path: { id } }));
  return (
    <section className="stack" aria-labelledby="form-snippet">
      <h2 id="form-snippet">{t("forms.snippet.title")}</h2>
      <p className="sm mid">{t("forms.snippet.lead")}</p>
      <fieldset className="seg" aria-label={t("forms.snippet.kind")}>
        {KINDS.map((one) => (
          <button key={one} type="button" aria-pressed={kind === one} onClick={() => setKind(one)}>
            {t(`forms.snippet.kinds.${one}`)}
          </button>
        ))}
      </fieldset>
      {found.data ? (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard. */}
          <section className="code form-code" tabIndex={0} aria-label={t("forms.snippet.code")}>
            {found.data[kind]}
          </section>
          <p className="xs dim">{t(`forms.snippet.hints.${kind}`)}</p>
          <div className="row">
            <CopyButton size="sm" text={found.data[kind]} />
          </div>
        </>
      ) : found.error ? (
        <Failure
          title={t("forms.snippet.unreadable")}
          error={found.error}
          retry={() => void found.refetch()}
        />
      ) : (
        <SkeletonLines lines={4} />
      )}
    </section>
  );
}
