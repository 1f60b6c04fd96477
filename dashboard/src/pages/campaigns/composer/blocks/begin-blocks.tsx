/** Leads from code to blocks. Code can't be turned into blocks, so this says what becomes of it, and can be undone. */
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { BlocksDocument } from "../../../../api/openapi.ts";
import { Button } from "../../../../kit/button.tsx";
import { Dialog } from "../../../../kit/overlays/dialog.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import type { Written } from "./convert.tsx";
import { newId } from "./document/new-block.ts";
import { firstMail } from "./first-mail.ts";

type Props = { written: Written; change: (patch: Written) => void; onClose: () => void };

/** An HTML block takes no more. */
const LONGEST_HTML = 100_000;

/** What styles a whole page is taken out of an HTML block, for it would style the other blocks too. */
const STYLES = /<style\b|<link\b[^>]*\bstylesheet\b|<body\b[^>]*\b(?:style|class|bgcolor)\s*=/i;

export default function BeginBlocks({ written, change, onClose }: Props) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  const { html, mjml } = written;
  const isEmpty = (mjml ?? html ?? "").replaceAll(/<[^>]*>|\s/g, "") === "";
  const go = (blocks: BlocksDocument) => {
    change({ blocks, html: null, mjml: null });
    if (!isEmpty)
      notify(t("composer.blocks.begun"), {
        label: t("do.undo"),
        run: () => change({ ...written, blocks: null }),
      });
    onClose();
  };
  // Nothing is lost where nothing is there, so nobody is asked.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked once, when it opens.
  useEffect(() => {
    if (isEmpty) go(firstMail());
  }, []);
  if (isEmpty) return null;
  const kept = html !== null && html.length <= LONGEST_HTML ? html : undefined;
  return (
    <Dialog
      title={t("composer.blocks.beginTitle")}
      lead={t(`composer.blocks.beginLead.${mjml === null ? "html" : "mjml"}`)}
      onClose={onClose}
      initialFocus={stay}
      footer={
        <>
          <Button kind="quiet" ref={stay} onClick={onClose}>
            {t("do.cancel")}
          </Button>
          {kept !== undefined && (
            <Button onClick={() => go({ version: 1, blocks: [{ id: newId(), type: "html", html: kept }] })}>
              {t("composer.content.wrap")}
            </Button>
          )}
          <Button kind="primary" onClick={() => go(firstMail())}>
            {t("composer.blocks.beginNew")}
          </Button>
        </>
      }
    >
      {kept !== undefined && STYLES.test(kept) && <p className="sm">{t("composer.blocks.stylesLost")}</p>}
    </Dialog>
  );
}
