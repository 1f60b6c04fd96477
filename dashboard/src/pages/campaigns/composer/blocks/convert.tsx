/** Leads from blocks to code: to MJML, which says the same, or to HTML, which begins empty. */
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../../api/client.ts";
import type { BlocksDocument } from "../../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../../api/problem.ts";
import { Button } from "../../../../kit/button.tsx";
import { ProblemNote } from "../../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../../kit/overlays/dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";

export type Written = { blocks: BlocksDocument | null; mjml: string | null; html: string | null };
type Props = {
  document: BlocksDocument;
  to: "mjml" | "html";
  change: (patch: Written) => void;
  onClose: () => void;
};

export function LeaveBlocks({ document, to, change, onClose }: Props) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiError>();
  const go = async () => {
    setBusy(true);
    try {
      const written = to === "html" ? { mjml: null, html: "" } : await asMjml(document);
      change({ blocks: null, ...written });
      notify(t(`composer.content.switched.${to}`), {
        label: t("do.undo"),
        run: () => change({ blocks: document, mjml: null, html: null }),
      });
      onClose();
    } catch (thrown) {
      setFault(asApiError(thrown));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t(to === "mjml" ? "composer.blocks.convertTitle" : "composer.blocks.htmlTitle")}
      lead={t(to === "mjml" ? "composer.blocks.convertLead" : "composer.blocks.htmlLead")}
      onClose={onClose}
      initialFocus={stay}
      footer={
        <>
          <Button kind="quiet" ref={stay} onClick={onClose}>
            {t("do.cancel")}
          </Button>
          <Button kind="primary" busy={busy} onClick={() => void go()}>
            {t(to === "mjml" ? "composer.blocks.convert" : "composer.content.startEmpty")}
          </Button>
        </>
      }
    >
      {fault && <ProblemNote error={fault} />}
    </Dialog>
  );
}

async function asMjml(document: BlocksDocument) {
  const { mjml } = await call("POST /v1/blocks/mjml", { body: { blocks: document } });
  return { mjml, html: null };
}
