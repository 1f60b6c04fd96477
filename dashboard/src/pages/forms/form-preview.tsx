/** The page of a form as it would be with what is typed now. */
import "../../i18n/later/writing/mail-preview.ts";
import "../campaigns/composer/preview/preview.css";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../api/client.ts";
import type { FormPatch } from "../../api/openapi.ts";
import { type ApiError, asApiError } from "../../api/problem.ts";
import { ProblemNote } from "../../kit/forms/problem-note.tsx";
import { MailFrame } from "../campaigns/composer/preview/mail-frame.tsx";
import { createPreviewer, type Previewer } from "../campaigns/composer/preview/previewer.ts";

const PAUSE_MS = 200;

export function FormPreview({ id, patch }: { id: string; patch: FormPatch }) {
  const { t } = useTranslation();
  const [html, setHtml] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const previewer = useRef<Previewer<FormPatch>>(undefined);
  useEffect(() => {
    const mine = createPreviewer<FormPatch, { readonly html: string }>({
      ask: (body, signal) => call("POST /v1/forms/{id}/preview", { path: { id }, body, signal }),
      show: (shown) => {
        setHtml(shown.html);
        setError(undefined);
      },
      fail: (thrown) => setError(asApiError(thrown)),
    });
    previewer.current = mine;
    return () => mine.stop();
  }, [id]);
  useEffect(() => previewer.current?.change(patch, PAUSE_MS), [patch]);
  return (
    <section className="stack" aria-label={t("forms.preview.page")}>
      <h2>{t("forms.preview.title")}</h2>
      {error && <ProblemNote error={error} />}
      {html !== undefined && (
        <div className="form-preview">
          <MailFrame html={html} className="" hasAllPictures={false} />
        </div>
      )}
    </section>
  );
}
