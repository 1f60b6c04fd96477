/** A logo is dropped, pasted or chosen. It is uploaded at once, and the account shows it once the form is saved. */
import { ImageUp, Trash2 } from "lucide-react";
import { type ClipboardEvent, type DragEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../kit/icon.tsx";

/** The service refuses more; a browser that is refused in mid-upload says only that the connection broke. */
const MOST_BYTES = 10 * 1_048_576;
const TYPES = "image/png,image/jpeg,image/gif,image/webp";

export const logoAddress = (id: string) => `/files/${id}`;

export function LogoField({ id, onChange }: { id: string | null; onChange: (id: string | null) => void }) {
  const { t } = useTranslation();
  const { isBusy, fault, error, take } = useUpload(onChange);
  const [isOver, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const hint = useId();
  const choose = () => chooser.current?.click();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  const paste = (event: ClipboardEvent) => {
    event.preventDefault();
    take(event.clipboardData.files);
  };
  return (
    <fieldset className="stack" aria-describedby={hint}>
      <legend className="flabel">{t("branding.logo")}</legend>
      <input type="hidden" name="logo" value={id ?? ""} />
      <input
        ref={chooser}
        type="file"
        accept={TYPES}
        hidden
        aria-label={t("branding.logo")}
        onChange={(event) => {
          if (event.target.files) take(event.target.files);
          // The same file may be chosen again after it was removed.
          event.target.value = "";
        }}
      />
      {/* biome-ignore lint/a11y/useSemanticElements: what is dropped or pasted here is a file, for which there is no element. */}
      <div
        role="group"
        aria-label={t("branding.logo")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what is pasted goes to the element that has the focus.
        tabIndex={0}
        className={isOver ? "drop-zone well over" : "drop-zone well"}
        aria-busy={isBusy}
        onPaste={paste}
        onDrop={drop}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
      >
        {id ? (
          <img className="logo-shown" src={logoAddress(id)} alt={t("branding.logoAlt")} />
        ) : (
          <Icon of={ImageUp} size="lg" />
        )}
        <div className="row wrap centre sm" aria-live="polite">
          {isBusy ? (
            t("branding.uploading")
          ) : id ? (
            <>
              <Button size="sm" onClick={choose}>
                {t("branding.replace")}
              </Button>
              <Button size="sm" kind="quiet" icon={Trash2} onClick={() => onChange(null)}>
                {t("branding.remove")}
              </Button>
            </>
          ) : (
            <>
              {t("branding.drop")}
              <Button size="sm" onClick={choose}>
                {t("branding.choose")}
              </Button>
            </>
          )}
        </div>
      </div>
      <p className="xs dim" id={hint}>
        {t("branding.logoHint")}
      </p>
      {fault && (
        <div className="note danger" role="alert">
          {fault}
        </div>
      )}
      {error && <ProblemNote error={error} />}
    </fieldset>
  );
}

function useUpload(onDone: (id: string) => void) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const [error, setError] = useState<ApiError>();
  const upload = async (file: File) => {
    const body = new FormData();
    body.append("file", file);
    setBusy(true);
    try {
      onDone((await call("POST /v1/files", { body })).id);
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setBusy(false);
    }
  };
  const take = (files: FileList) => {
    const [file] = files;
    setError(undefined);
    if (!file) return setFault(t("branding.notAnImage"));
    if (file.size > MOST_BYTES) {
      const size = formatNumber(Math.ceil(file.size / 1_048_576));
      return setFault(t("branding.tooLarge", { size }));
    }
    setFault(undefined);
    void upload(file);
  };
  return { isBusy, fault, error, take };
}
