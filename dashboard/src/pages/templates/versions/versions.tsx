/** What was published: by whom and when, what differs between two of them or the draft, and the way back. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../../api/client.ts";
import type { TemplateVersion, TemplateVersionSummary } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { pageQuery, query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useWho } from "../../../kit/who.ts";
import { CodeEditor } from "../../campaigns/composer/editor/code-editor.tsx";
import type { TemplateDrafting } from "../draft/use-template.ts";
import type { Compared, TemplateSearch } from "../search.ts";
import { ContentDiff } from "./content-diff.tsx";

/** As many as are kept. */
const MOST = 100;

type Props = {
  drafting: TemplateDrafting;
  from: Compared | undefined;
  to: Compared | undefined;
  onShow: (search: TemplateSearch) => void;
  onClose: () => void;
};

export default function Versions({ drafting, from, to = "draft", onShow, onClose }: Props) {
  const { t } = useTranslation();
  const { id } = drafting.template;
  const found = useQuery(
    pageQuery("GET /v1/templates/{id}/versions", { path: { id }, query: { limit: MOST } }),
  );
  const versions = found.data?.data ?? [];
  const before = from ?? versions[0]?.number;
  const restoring = useRestore(drafting, onClose);
  const isOver = drafting.state.kind === "deleted";
  return (
    <Dialog
      title={t("templates.versions.title")}
      lead={t("templates.versions.lead")}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.close")}
          </Button>
          {typeof before === "number" && !isOver && (
            <Button kind="primary" busy={restoring.busy} onClick={() => void restoring.restore(before)}>
              {t("templates.versions.restore", { number: before })}
            </Button>
          )}
        </>
      }
    >
      {restoring.isUnsaved && (
        <p className="note danger" role="alert">
          {t("templates.versions.unsaved")}
        </p>
      )}
      {restoring.error && <ProblemNote error={restoring.error} />}
      {found.error ? (
        <Failure
          title={t("templates.versions.unreadable")}
          error={found.error}
          retry={() => void found.refetch()}
        />
      ) : !found.data ? (
        <SkeletonLines lines={4} />
      ) : before === undefined ? (
        <p className="sm mid">{t("templates.versions.none")}</p>
      ) : (
        <div className="versions">
          <ol className="version-list">
            {versions.map((version) => (
              <li key={version.number}>
                <VersionLine
                  version={version}
                  isCurrent={version.number === drafting.template.published_version}
                  isShown={version.number === before}
                  onShow={() => onShow({ from: version.number, to: "draft" })}
                />
              </li>
            ))}
          </ol>
          <div className="stack-4">
            <div className="row wrap">
              <Side
                label={t("templates.versions.from")}
                side={before}
                versions={versions}
                onSide={(side) => onShow({ from: side })}
              />
              <Side
                label={t("templates.versions.to")}
                side={to}
                versions={versions}
                onSide={(side) => onShow({ to: side })}
              />
            </div>
            <Difference drafting={drafting} from={before} to={to} />
            {typeof before === "number" && <Whole key={before} id={id} number={before} />}
          </div>
        </div>
      )}
    </Dialog>
  );
}

type SideProps = {
  label: string;
  side: Compared;
  versions: readonly TemplateVersionSummary[];
  onSide: (side: Compared) => void;
};

function Side({ label, side, versions, onSide }: SideProps) {
  const { t } = useTranslation();
  const id = useId();
  return (
    <span className="row">
      <label className="sm dim" htmlFor={id}>
        {label}
      </label>
      <select
        id={id}
        className="input input-sm"
        value={String(side)}
        onChange={({ target: { value } }) => onSide(value === "draft" ? value : Number(value))}
      >
        <option value="draft">{t("templates.versions.draft")}</option>
        {versions.map(({ number }) => (
          <option key={number} value={number}>
            {t("templates.version", { number })}
          </option>
        ))}
      </select>
    </span>
  );
}

type LineProps = {
  version: TemplateVersionSummary;
  isCurrent: boolean;
  isShown: boolean;
  onShow: () => void;
};

function VersionLine({ version, isCurrent, isShown, onShow }: LineProps) {
  const { t } = useTranslation();
  const nameOf = useWho();
  return (
    <button type="button" className="version-line" aria-pressed={isShown} onClick={onShow}>
      <span className="row between">
        <span className="med">{t("templates.version", { number: version.number })}</span>
        <span className="xs dim">
          <Time at={version.created_at} />
        </span>
      </span>
      <span className="sm mid trunc">{nameOf(version.actor)}</span>
      {isCurrent && <span className="badge accent">{t("templates.versions.current")}</span>}
    </button>
  );
}

function useVersion(id: string, side: Compared) {
  return useQuery({
    ...query("GET /v1/templates/{id}/versions/{number}", { path: { id, number: String(side) } }),
    enabled: side !== "draft",
    // A version never changes.
    staleTime: Infinity,
  });
}

function Difference({ drafting, from, to }: { drafting: TemplateDrafting; from: Compared; to: Compared }) {
  const { t } = useTranslation();
  const { id } = drafting.template;
  const one = useVersion(id, from);
  const other = useVersion(id, to);
  // The name is no part of a version, so that it isn't compared.
  const draft = useMemo(() => ({ ...drafting.draft, name: undefined }), [drafting.draft]);
  const before = from === "draft" ? draft : one.data;
  const after = to === "draft" ? draft : other.data;
  const error = one.error ?? other.error;
  if (error)
    return (
      <Failure
        title={t("templates.versions.unreadable")}
        error={error}
        retry={() => void Promise.all([one.refetch(), other.refetch()])}
      />
    );
  if (!before || !after) return <SkeletonLines lines={4} />;
  return <ContentDiff key={`${from} ${to}`} before={before} after={after} />;
}

function Whole({ id, number }: { id: string; number: number }) {
  const { t } = useTranslation();
  const { data } = useVersion(id, number);
  if (!data) return null;
  const { kind, source } = sourceOf(data);
  return (
    <details className="composer-more version-whole">
      <summary className="sm med">{t("templates.versions.whole", { number })}</summary>
      <CodeEditor kind={kind} value={source} label={t("templates.versions.wholeOf", { number })} readOnly />
    </details>
  );
}

function sourceOf({ mjml, html, text }: TemplateVersion) {
  if (mjml !== null) return { kind: "mjml", source: mjml } as const;
  return html === null
    ? ({ kind: "text", source: text ?? "" } as const)
    : ({ kind: "html", source: html } as const);
}

/** The draft takes what a version says. What it said before is put back by undoing. */
function useRestore(drafting: TemplateDrafting, onDone: () => void) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [isUnsaved, setUnsaved] = useState(false);
  const restore = async (number: number) => {
    setBusy(true);
    setError(undefined);
    setUnsaved(false);
    try {
      if (!(await drafting.save())) return setUnsaved(true);
      const before = drafting.draft;
      const { id } = drafting.template;
      const restored = await request("POST /v1/templates/{id}/versions/{number}/restore", {
        path: { id, number: String(number) },
        ifMatch: drafting.etag(),
      });
      drafting.replace(restored);
      await queries.invalidateQueries({ queryKey: ["templates"] });
      onDone();
      notify(t("templates.versions.restored", { number }), {
        label: t("do.undo"),
        run: () => drafting.change(before),
      });
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { restore, busy, error, isUnsaved };
}
