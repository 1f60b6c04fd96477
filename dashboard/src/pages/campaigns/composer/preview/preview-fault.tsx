/** Says why what is typed can't be shown, and where to look; what could be shown last stays below it. */
import { CircleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ApiError, Fault } from "../../../../api/problem.ts";
import { useProblemText } from "../../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../../kit/icon.tsx";
import { sentence } from "../../../../kit/sentence.ts";

export type Place = { readonly part: string; readonly line: number; readonly column: number };

type PreviewFaultProps = {
  error: ApiError;
  retry: () => void;
  onShow?: ((place: Place) => void) | undefined;
  hasLast: boolean;
};

const MOST = 3;

export function PreviewFault({ error, retry, onShow, hasLast }: PreviewFaultProps) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  // The dialog to sign in again says it.
  if (error.code === "unauthorized") return null;
  const isOfContent = error.status === 422;
  return (
    <div className={isOfContent ? "note warn" : "note danger"} role="status">
      <Icon of={CircleAlert} />
      <div className="grow">
        <b>{t(hasLast ? "mailPreview.fault.last" : "mailPreview.fault.none")}</b>
        {isOfContent ? (
          <ul className="mail-faults">
            {error.faults.slice(0, MOST).map((fault) => (
              <li key={`${fault.pointer} ${fault.detail}`}>
                {sentence(fault.detail)} <ShowPlace fault={fault} onShow={onShow} />
              </li>
            ))}
            {error.faults.length > MOST && (
              <li>{t("mailPreview.fault.more", { count: error.faults.length - MOST })}</li>
            )}
          </ul>
        ) : (
          <p>
            {textOf(error)}{" "}
            <button type="button" className="link" onClick={retry}>
              {t("do.tryAgain")}
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

function ShowPlace({ fault, onShow }: { fault: Fault; onShow: PreviewFaultProps["onShow"] }) {
  const { t } = useTranslation();
  const { line, column, pointer = "" } = fault;
  if (!onShow || line === undefined) return null;
  const place = { part: partOf(pointer), line, column: column ?? 1 };
  return (
    <button type="button" className="link" onClick={() => onShow(place)}>
      {t("mailPreview.checks.show")}
    </button>
  );
}

/** Checks name the preview text by what it becomes. */
const partOf = (pointer: string) => (pointer === "/preview_text" ? "preheader" : pointer.slice(1));
