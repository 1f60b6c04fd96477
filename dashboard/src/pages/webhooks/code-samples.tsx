import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../../kit/copy-button.tsx";
import { Code } from "./code.tsx";
import { LANGUAGES, type Language, sampleIn } from "./samples.ts";

/** How a receiver verifies a signature, to be copied. */
export function CodeSamples({ url }: { url: string }) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<Language>("typescript");
  const sample = sampleIn(language, url);
  return (
    <section className="stack" aria-labelledby="webhook-samples">
      <h2 id="webhook-samples">{t("webhooks.samples.title")}</h2>
      <p className="sm mid">{t("webhooks.samples.lead")}</p>
      <fieldset className="seg" aria-label={t("webhooks.samples.language")}>
        {LANGUAGES.map((one) => (
          <button key={one} type="button" aria-pressed={language === one} onClick={() => setLanguage(one)}>
            {t(`webhooks.samples.languages.${one}`)}
          </button>
        ))}
      </fieldset>
      <Code label={t("webhooks.samples.code")}>{sample}</Code>
      <p className="xs dim">{t(`webhooks.samples.hints.${language}`)}</p>
      <div className="row">
        <CopyButton size="sm" text={sample} />
      </div>
    </section>
  );
}
