import { useTranslation } from "react-i18next";
import { formatTime } from "../../../../i18n/format.ts";
import { Button } from "../../../../kit/button.tsx";
import { Dialog } from "../../../../kit/overlays/dialog.tsx";
import { useWho } from "../../../../kit/who.ts";
import type { Draft } from "./draft.ts";
import { FieldDifferences } from "./field-differences.tsx";
import type { DraftState } from "./use-draft.ts";

type Props = {
  state: Extract<DraftState, { kind: "conflict" }>;
  draft: Draft;
  keepMine: () => void;
  takeTheirs: () => void;
  onClose: () => void;
};

/** The fields that both changed, beside each other. */
export function DraftConflict({ state, draft, keepMine, takeTheirs, onClose }: Props) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const { body: theirs } = state.theirs;
  const who = nameOf(theirs.updated_by);
  const choose = (run: () => void) => () => {
    onClose();
    run();
  };
  return (
    <Dialog
      title={t("composer.conflict.title")}
      lead={t("composer.conflict.lead", { who, time: formatTime(theirs.updated_at) })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={choose(takeTheirs)}>{t("conflict.takeTheirs")}</Button>
          <Button kind="primary" onClick={choose(keepMine)}>
            {t("conflict.keepMine")}
          </Button>
        </>
      }
    >
      <FieldDifferences
        fields={state.contested}
        one={{ label: t("conflict.mine"), draft }}
        other={{ label: who, draft: theirs }}
      />
    </Dialog>
  );
}
