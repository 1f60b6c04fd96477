/** Publishes the draft, after a look at what changes by it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../api/client.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { notify } from "../../../kit/toasts.tsx";
import type { Place } from "../content/template-content.tsx";
import type { TemplateDrafting } from "../draft/use-template.ts";
import { ContentDiff } from "./content-diff.tsx";

type Props = {
  drafting: TemplateDrafting;
  save: () => Promise<boolean>;
  onClose: () => void;
  onShow: (place: Place) => void;
};

export default function Publish({ drafting, save, onClose, onShow }: Props) {
  const { t } = useTranslation();
  const { template, draft } = drafting;
  // The name is no part of a version, so that it isn't compared.
  const content = useMemo(() => ({ ...draft, name: undefined }), [draft]);
  const { id, published_version: published, draft_version: number } = template;
  const before = useQuery({
    ...query("GET /v1/templates/{id}/versions/{number}", { path: { id, number: String(published) } }),
    enabled: published !== null,
  });
  const publishing = usePublish(drafting, save, onClose);
  const isNothing = published !== null && !template.has_unpublished_changes && !drafting.isUnsaved();
  return (
    <Dialog
      title={t("templates.publish.title", { number })}
      lead={published === null ? t("templates.publish.first") : t("templates.publish.lead")}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.cancel")}
          </Button>
          {!isNothing && (
            <Button kind="go" busy={publishing.busy} onClick={() => void publishing.publish()}>
              {t("templates.publish.action", { number })}
            </Button>
          )}
        </>
      }
    >
      {isNothing && <p className="sm mid">{t("templates.publish.nothing")}</p>}
      {publishing.isUnsaved && (
        <p className="note danger" role="alert">
          {t("templates.publish.unsaved")}
        </p>
      )}
      {publishing.error && (
        <Refusal
          error={publishing.error}
          onShow={(place) => {
            onClose();
            onShow(place);
          }}
        />
      )}
      {before.error ? (
        <Failure
          title={t("templates.versions.unreadable")}
          error={before.error}
          retry={() => void before.refetch()}
        />
      ) : published !== null && !before.data ? (
        <SkeletonLines lines={4} />
      ) : (
        !isNothing && <ContentDiff before={before.data ?? null} after={content} />
      )}
    </Dialog>
  );
}

/** What stands in the way, each with the way to its place. */
function Refusal({ error, onShow }: { error: ApiError; onShow: (place: Place) => void }) {
  const { t } = useTranslation();
  if (error.code !== "template_faulty") return <ProblemNote error={error} />;
  return (
    <div className="note danger" role="alert">
      <div className="stack tight">
        <b>{t("templates.publish.refused")}</b>
        <ul className="stack tight">
          {error.faults.map(({ pointer = "", detail, line, column }) => (
            <li key={`${pointer} ${line} ${column} ${detail}`} className="break">
              {sentence(detail)}{" "}
              {line !== undefined && (
                <button
                  type="button"
                  className="text-button"
                  onClick={() => onShow({ part: pointer.slice(1), line, column: column ?? 1 })}
                >
                  {t("mailPreview.checks.show")}
                </button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function usePublish(drafting: TemplateDrafting, save: () => Promise<boolean>, onDone: () => void) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [isUnsaved, setUnsaved] = useState(false);
  const publish = async () => {
    setBusy(true);
    setError(undefined);
    setUnsaved(false);
    try {
      if (!(await save())) return setUnsaved(true);
      const { id } = drafting.template;
      const published = await request("POST /v1/templates/{id}/publish", {
        path: { id },
        ifMatch: drafting.etag(),
      });
      drafting.replace(published);
      await queries.invalidateQueries({ queryKey: ["templates"] });
      onDone();
      notify(t("templates.publish.done", { number: published.body.published_version ?? 0 }));
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { publish, busy, error, isUnsaved };
}
