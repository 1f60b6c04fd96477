import { ArrowRight, FileText, Plus, Upload } from "lucide-react";
import { type DragEvent, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { formatBytes } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { lazyPart } from "../../../lazy-page.ts";
import { useLists } from "../../subscribers/reference-data.ts";
import { type Draft, hasContent, withContent, withPreview } from "./draft.ts";
import { lookAt } from "./send-file.ts";
import type { StepProps } from "./step-props.ts";

const NewListHere = lazyPart(() => import("./new-list-here.tsx"));

/** Which file, or which lines, and into which list. */
export function FileStep({ draft, change, go }: StepProps) {
  const { t } = useTranslation();
  const lists = useLists();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const [lacks, setLacks] = useState<"content" | "list">();
  const isAboutPeople = draft.target === "subscribers";
  const listId = draft.listId || lists[0]?.id || "";

  const look = async () => {
    setError(undefined);
    if (!hasContent(draft)) return setLacks("content");
    if (isAboutPeople && listId === "") return setLacks("list");
    setLacks(undefined);
    setBusy(true);
    try {
      const preview = await lookAt(draft, draft.format, t("wizard.pastedName"));
      change((before) => withPreview({ ...before, listId }, preview));
      go("columns");
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <form
        id="wizard-file"
        className="body stack-6 wizard-body"
        onSubmit={(event) => {
          // The form of a dialog that was opened from here bubbles up to this one, though it stands elsewhere.
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          void look();
        }}
      >
        <Source draft={draft} change={change} />
        {isAboutPeople && <ListChoice value={listId} onChange={(next) => change({ listId: next })} />}
        {lacks && (
          <p className="err-line" role="alert">
            {t(`wizard.lacks.${lacks}`)}
          </p>
        )}
        {error && <ProblemNote error={error} />}
      </form>
      <footer className="wizard-foot">
        <span className="sm dim hide-s">{t("wizard.file.stays")}</span>
        <span className="grow" />
        <Button kind="primary" icon={ArrowRight} type="submit" form="wizard-file" busy={busy}>
          {t("wizard.file.next")}
        </Button>
      </footer>
    </>
  );
}

function Source({ draft, change }: Pick<StepProps, "draft" | "change">) {
  const { t } = useTranslation();
  const choose = (source: Draft["source"]) => change((before) => withContent(before, { source }));
  return (
    <section className="stack-4" aria-label={t("wizard.file.source")}>
      <fieldset className="seg" aria-label={t("wizard.file.source")}>
        {(["file", "paste"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={draft.source === one} onClick={() => choose(one)}>
            {t(`wizard.file.sources.${one}`)}
          </button>
        ))}
      </fieldset>
      {draft.source === "file" ? (
        <DropZone file={draft.file} onFile={(file) => change((before) => withContent(before, { file }))} />
      ) : (
        <label className="field">
          <span className="flabel">{t("wizard.file.pasteLabel")}</span>
          <textarea
            className="input mono"
            rows={10}
            spellCheck={false}
            value={draft.pasted}
            placeholder={t("wizard.file.pasteExample")}
            onChange={({ target: { value } }) => change((before) => withContent(before, { pasted: value }))}
          />
          <span className="hint">{t("wizard.file.pasteHint")}</span>
        </label>
      )}
    </section>
  );
}

/** A file is dropped here, or chosen with the button, which the keyboard reaches too. */
function DropZone({ file, onFile }: { file: File | undefined; onFile: (file: File) => void }) {
  const { t } = useTranslation();
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [dropped] = event.dataTransfer.files;
    if (dropped) onFile(dropped);
  };
  return (
    <label
      className={isOver ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Icon of={file ? FileText : Upload} size="lg" />
      {file ? (
        <span className="med break">
          {file.name} <span className="dim num">{formatBytes(file.size)}</span>
        </span>
      ) : (
        <span className="med">{t("wizard.file.drop")}</span>
      )}
      <span className="btn btn-sm">{file ? t("wizard.file.other") : t("wizard.file.choose")}</span>
      <span className="xs dim">{t("wizard.file.kinds")}</span>
      <input
        type="file"
        className="sr"
        accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values"
        aria-label={t("wizard.file.label")}
        onChange={({ target }) => {
          const [chosen] = target.files ?? [];
          if (chosen) onFile(chosen);
          // The same file may be chosen again after it was mended.
          target.value = "";
        }}
      />
    </label>
  );
}

function ListChoice({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { t } = useTranslation();
  const lists = useLists();
  const [isMaking, setMaking] = useState(false);
  const chosen = lists.find(({ id }) => id === value);
  return (
    <section className="field wizard-list">
      <label className="flabel" htmlFor="wizard-list">
        {t("wizard.file.list")}
      </label>
      <div className="row wrap">
        <select
          id="wizard-list"
          className="input grow"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        >
          {lists.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <Button icon={Plus} onClick={() => setMaking(true)}>
          {t("lists.new")}
        </Button>
      </div>
      {chosen?.double_opt_in && <span className="hint">{t("wizard.file.doubleOptIn")}</span>}
      <Suspense>{isMaking && <NewListHere onMade={onChange} onClose={() => setMaking(false)} />}</Suspense>
    </section>
  );
}
