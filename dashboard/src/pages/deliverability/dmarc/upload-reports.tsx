/** Reports are dropped or chosen; each file is read at once, and what was made of it is said. */
import { useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";

/** The service refuses more; a browser that is refused in mid-upload says only that the connection broke. */
const MOST_BYTES = 10 * 1_048_576;
const TYPES = ".xml,.gz,.zip,.eml,application/xml,text/xml,application/gzip,application/zip,message/rfc822";

export function UploadReports({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { isBusy, fault, error, take } = useUpload(onClose);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <Dialog
      title={t("dmarc.upload")}
      lead={t("dmarc.uploadLead")}
      onClose={onClose}
      footer={
        <Button kind="quiet" onClick={onClose}>
          {t("do.close")}
        </Button>
      }
    >
      <input
        ref={chooser}
        type="file"
        accept={TYPES}
        multiple
        hidden
        aria-label={t("dmarc.file")}
        onChange={(event) => {
          if (event.target.files) take(event.target.files);
          // The same file may be chosen again.
          event.target.value = "";
        }}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: what is dropped here is a file, for which there is no element. */}
      <div
        role="group"
        aria-label={t("dmarc.file")}
        className={isOver ? "report-drop well over" : "report-drop well"}
        aria-busy={isBusy}
        onDrop={drop}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
      >
        <Icon of={FileUp} size="lg" />
        <div className="row wrap centre sm" aria-live="polite">
          {isBusy ? (
            t("dmarc.uploading")
          ) : (
            <>
              {t("dmarc.drop")}
              <Button size="sm" onClick={() => chooser.current?.click()}>
                {t("dmarc.choose")}
              </Button>
            </>
          )}
        </div>
      </div>
      {fault && (
        <div className="note danger" role="alert">
          {fault}
        </div>
      )}
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

function useUpload(onDone: () => void) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const upload = async (files: readonly File[]) => {
    setBusy(true);
    let count = 0;
    try {
      for (const file of files) {
        const body = new FormData();
        body.append("file", file);
        const { data } = await call("POST /v1/deliverability/reports", { body });
        count += data.filter(({ is_new }) => is_new).length;
      }
      onDone();
      notify(
        count === 0 ? t("dmarc.uploadedKnown") : t("dmarc.uploaded", { count, number: formatNumber(count) }),
      );
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: ["deliverability"] });
    }
  };
  const take = (list: FileList) => {
    const files = [...list];
    setError(undefined);
    setFault(undefined);
    const large = files.find(({ size }) => size > MOST_BYTES);
    if (large)
      return setFault(t("dmarc.tooLarge", { size: formatNumber(Math.ceil(large.size / 1_048_576)) }));
    if (files.length > 0) void upload(files);
  };
  return { isBusy, fault, error, take };
}
