/** What the campaign said before: by whom and when, what differs from now, and the way back to it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call, request } from "../../../../api/client.ts";
import type { CampaignVersion, CampaignVersionSummary } from "../../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../../api/problem.ts";
import { pageQuery, query } from "../../../../api/queries.ts";
import { isSameValue } from "../../../../drafts/draft-fields.ts";
import { formatTime } from "../../../../i18n/format.ts";
import { Button } from "../../../../kit/button.tsx";
import { ProblemNote } from "../../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../../kit/states.tsx";
import { Time } from "../../../../kit/time.tsx";
import { notify, notifyFailure } from "../../../../kit/toasts.tsx";
import { useWho } from "../../../../kit/who.ts";
import { blockLines } from "../blocks/block-lines.ts";
import { FieldDifferences } from "../draft/field-differences.tsx";
import type { Drafting } from "../draft/use-draft.ts";
import { CodeEditor } from "../editor/code-editor.tsx";

/** A version has the words and the sender; whom it goes to is no part of it. */
const FIELDS = [
  "name",
  "subject",
  "preview_text",
  "from_name",
  "from_email",
  "reply_to",
  "html",
  "mjml",
  "blocks",
  "text",
  "tracking",
  "utm",
] as const;

/** The newest fifty are kept. */
const MOST = 50;

type Props = {
  drafting: Drafting;
  shown: number | undefined;
  onShow: (number: number | undefined) => void;
  onClose: () => void;
};

export default function Versions({ drafting, shown, onShow, onClose }: Props) {
  const { t } = useTranslation();
  const { id } = drafting.campaign;
  const found = useQuery(
    pageQuery("GET /v1/campaigns/{id}/versions", { path: { id }, query: { limit: MOST } }),
  );
  const [newest] = found.data?.data ?? [];
  const number = shown ?? found.data?.data[1]?.number ?? newest?.number;
  const restoring = useRestore(drafting, onClose);
  return (
    <Dialog
      title={t("composer.versions.title")}
      lead={t("composer.versions.lead")}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.close")}
          </Button>
          {number !== undefined && number !== newest?.number && drafting.state.kind !== "locked" && (
            <Button kind="primary" busy={restoring.busy} onClick={() => void restoring.restore(number)}>
              {t("composer.versions.restore", { number })}
            </Button>
          )}
        </>
      }
    >
      {found.error && (
        <Failure
          title={t("composer.versions.unreadable")}
          error={found.error}
          retry={() => void found.refetch()}
        />
      )}
      <div className="versions">
        <ol className="version-list">
          {found.data?.data.map((version) => (
            <li key={version.number}>
              <VersionLine
                version={version}
                isNow={version.number === newest?.number}
                isShown={version.number === number}
                onShow={() => onShow(version.number)}
              />
            </li>
          ))}
        </ol>
        {number !== undefined && <Shown drafting={drafting} number={number} />}
      </div>
      {restoring.isUnsaved && (
        <p className="note danger" role="alert">
          {t("composer.versions.unsaved")}
        </p>
      )}
      {restoring.error && <ProblemNote error={restoring.error} />}
    </Dialog>
  );
}

type LineProps = {
  version: CampaignVersionSummary;
  isNow: boolean;
  isShown: boolean;
  onShow: () => void;
};

function VersionLine({ version, isNow, isShown, onShow }: LineProps) {
  const { t } = useTranslation();
  const nameOf = useWho();
  return (
    <button type="button" className="version-line" aria-pressed={isShown} onClick={onShow}>
      <span className="row between">
        <span className="med">{t("composer.versions.one", { number: version.number })}</span>
        <span className="xs dim">
          <Time at={version.updated_at} />
        </span>
      </span>
      <span className="sm mid trunc">{nameOf(version.actor)}</span>
      {isNow && <span className="badge">{t("composer.versions.now")}</span>}
      {version.restored_from !== null && (
        <span className="xs dim">
          {t("composer.versions.restoredFrom", { number: version.restored_from })}
        </span>
      )}
    </button>
  );
}

/** How a version differs from what is typed now. */
function Shown({ drafting, number }: { drafting: Drafting; number: number }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(
    query("GET /v1/campaigns/{id}/versions/{number}", {
      path: { id: drafting.campaign.id, number: String(number) },
    }),
  );
  if (error)
    return <Failure title={t("composer.versions.unreadable")} error={error} retry={() => void refetch()} />;
  if (!data) return <SkeletonLines lines={4} />;
  const fields = changed(data, drafting);
  return (
    <div className="stack-4">
      {fields.length === 0 && <p className="sm mid">{t("composer.versions.same")}</p>}
      <FieldDifferences
        fields={fields}
        one={{
          label: `${t("composer.versions.one", { number })} · ${formatTime(data.updated_at)}`,
          draft: data,
        }}
        other={{ label: t("composer.versions.now"), draft: drafting.draft }}
      />
      <details key={number} className="composer-more version-whole">
        <summary className="sm med">{t("composer.versions.whole")}</summary>
        <CodeEditor
          kind={data.mjml === null ? "html" : "mjml"}
          value={data.mjml ?? data.html ?? (data.blocks ? blockLines(data.blocks) : "")}
          label={t("composer.versions.wholeOf", { number })}
          readOnly
        />
      </details>
    </div>
  );
}

const changed = (version: CampaignVersion, { draft }: Drafting) =>
  FIELDS.filter((field) => !isSameValue(version[field], draft[field]));

/** Going back is a version of its own, so it is undone by going back to the one before. */
function useRestore(drafting: Drafting, onDone: () => void) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [isUnsaved, setUnsaved] = useState(false);
  const { id } = drafting.campaign;
  /** What was typed last is a version too, so that it isn't lost. Answers with that version, or false where it couldn't be saved. */
  const take = async (number: number): Promise<number | false> => {
    if (!(await drafting.save())) return false;
    const [before] = (await call("GET /v1/campaigns/{id}/versions", { path: { id }, query: { limit: 1 } }))
      .data;
    const restored = await request("POST /v1/campaigns/{id}/versions/{number}/restore", {
      path: { id, number: String(number) },
      ifMatch: drafting.etag(),
    });
    drafting.replace(restored);
    await queries.invalidateQueries({ queryKey: ["campaigns"] });
    return before?.number ?? number;
  };
  const undo = async (number: number) => {
    try {
      if ((await take(number)) === false) notifyFailure(t("composer.versions.unsaved"));
    } catch (thrown) {
      notifyFailure(asApiError(thrown).message);
    }
  };
  const restore = async (number: number) => {
    setBusy(true);
    setError(undefined);
    setUnsaved(false);
    try {
      const before = await take(number);
      if (before === false) return setUnsaved(true);
      onDone();
      notify(t("composer.versions.restored", { number }), {
        label: t("do.undo"),
        run: () => void undo(before),
      });
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return { restore, busy, error, isUnsaved };
}
