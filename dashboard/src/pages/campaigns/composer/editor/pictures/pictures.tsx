/** Pictures for a mail: one is dropped, pasted, uploaded or chosen from those that are there, described, and inserted. */
import { useQuery } from "@tanstack/react-query";
import { ImageUp } from "lucide-react";
import { type ClipboardEvent, type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { pageQuery } from "../../../../../api/queries.ts";
import { formatNumber } from "../../../../../i18n/format.ts";
import { Button } from "../../../../../kit/button.tsx";
import { Icon } from "../../../../../kit/icon.tsx";
import { Dialog } from "../../../../../kit/overlays/dialog.tsx";
import { Failure } from "../../../../../kit/states.tsx";
import { type DescribedPicture, DescribePicture } from "./describe-picture.tsx";
import { type Picture, TYPES, type Upload, useUploads } from "./use-uploads.ts";

const SHOWN = 24;

type Props = {
  /** These were dropped or pasted, and are uploaded at once. */
  files: readonly File[];
  /** Gets each picture with its description. */
  insert: (picture: DescribedPicture) => void;
  onClose: () => void;
};

export function Pictures({ files, insert, onClose }: Props) {
  const { t } = useTranslation();
  /** Those to be described, first things first. */
  const [waiting, setWaiting] = useState<readonly Picture[]>([]);
  const { uploads, take } = useUploads(files, (picture) => setWaiting((all) => [...all, picture]));
  const [described] = waiting;
  const next = () => setWaiting((all) => all.slice(1));
  const isLast = waiting.length <= 1 && !uploads.some(({ fault }) => !fault);
  if (described)
    return (
      <DescribePicture
        key={described.id}
        picture={described}
        insert={(chosen) => {
          insert(chosen);
          if (isLast) onClose();
          else next();
        }}
        onBack={next}
        onClose={onClose}
      />
    );
  return (
    <Dialog
      title={t("editor.pictures.title")}
      onClose={onClose}
      footer={
        <Button kind="quiet" onClick={onClose}>
          {t("do.cancel")}
        </Button>
      }
    >
      <DropZone take={(dropped) => void take(dropped)} />
      <UploadLines uploads={uploads} />
      <Library choose={(picture) => setWaiting([picture])} />
    </Dialog>
  );
}

function DropZone({ take }: { take: (files: FileList) => void }) {
  const { t } = useTranslation();
  const chooser = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    take(event.clipboardData.files);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: what is dropped or pasted here is a file, for which there is no element.
    <div
      role="group"
      aria-label={t("editor.pictures.upload")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what is pasted goes to the element that has the focus.
      tabIndex={0}
      className={isOver ? "picture-drop well over" : "picture-drop well"}
      onPaste={paste}
      onDrop={drop}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
    >
      <input
        ref={chooser}
        type="file"
        multiple
        hidden
        accept={TYPES.join(",")}
        aria-label={t("editor.pictures.choose")}
        onChange={(event) => {
          if (event.target.files) take(event.target.files);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
      <Icon of={ImageUp} size="lg" />
      <span className="sm">{t("editor.pictures.drop")}</span>
      <Button size="sm" onClick={() => chooser.current?.click()}>
        {t("editor.pictures.choose")}
      </Button>
      <span className="xs dim">{t("editor.pictures.limits")}</span>
    </div>
  );
}

function UploadLines({ uploads }: { uploads: readonly Upload[] }) {
  const { t } = useTranslation();
  return (
    <div aria-live="polite" className="stack tight">
      {uploads.map(({ id, name, sent, fault }) =>
        fault ? (
          <div key={id} className="note danger">
            {fault}
          </div>
        ) : (
          <label key={id} className="picture-upload sm">
            <span className="trunc">{t("editor.pictures.uploading", { name })}</span>
            <progress max={1} value={sent} />
          </label>
        ),
      )}
    </div>
  );
}

function Library({ choose }: { choose: (picture: Picture) => void }) {
  const { t } = useTranslation();
  const [cursor, setCursor] = useState<string>();
  const input = { limit: SHOWN, ...(cursor && { cursor }) };
  const { data, error, refetch } = useQuery(pageQuery("GET /v1/files", { query: input }));
  if (error)
    return <Failure title={t("editor.pictures.unreadable")} error={error} retry={() => void refetch()} />;
  if (!data || data.data.length === 0) return null;
  return (
    <section className="stack" aria-label={t("editor.pictures.library")}>
      <h3>{t("editor.pictures.library")}</h3>
      <ul className="pictures">
        {data.data.map((picture) => (
          <li key={picture.id}>
            <button type="button" className="picture" onClick={() => choose(picture)}>
              <img src={`/files/${picture.id}`} alt="" loading="lazy" />
              <span className="xs trunc">{picture.name}</span>
              <span className="xs dim num">{sizeOf(picture)}</span>
            </button>
          </li>
        ))}
      </ul>
      {(cursor || data.next_cursor) && (
        <div className="row">
          <Button size="sm" disabled={!cursor} onClick={() => setCursor(undefined)}>
            {t("editor.pictures.newest")}
          </Button>
          <Button
            size="sm"
            disabled={!data.next_cursor}
            onClick={() => setCursor(data.next_cursor ?? undefined)}
          >
            {t("editor.pictures.older")}
          </Button>
        </div>
      )}
    </section>
  );
}

const sizeOf = ({ width, height }: Picture) => `${formatNumber(width)} × ${formatNumber(height)}`;
