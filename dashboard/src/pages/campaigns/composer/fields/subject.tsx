import { memo, type ReactNode, type RefObject } from "react";
import { useTranslation } from "react-i18next";
import type { EnvelopeDrafting } from "../draft/use-envelope.ts";
import type { MergeNames } from "../editor/use-variables.ts";
import { Group } from "../group.tsx";
import { LiquidField } from "./liquid-field.tsx";
import type { LiquidLineHandle } from "./liquid-line.tsx";

/** What a telephone shows of a line in its inbox. */
const SUBJECT_LENGTH = 60;
const PREVIEW_LENGTH = 90;

type Props = {
  drafting: EnvelopeDrafting;
  isLocked: boolean;
  names: MergeNames | undefined;
  /** Hears who wants to be led to the subject. */
  handle: RefObject<LiquidLineHandle | null>;
  /** As it stands in an inbox. */
  children: ReactNode;
};

/** The two lines that are read before the mail is opened. */
export const Subject = memo(function Subject({ drafting, isLocked, names, handle, children }: Props) {
  const { t } = useTranslation();
  const { draft, faults, change } = drafting;
  return (
    <Group title={t("composer.subject.title")} isTitleHidden>
      <LiquidField
        label={t("composer.fields.subject")}
        value={draft.subject}
        onChange={(subject) => change({ subject })}
        names={names}
        handle={handle}
        isReadOnly={isLocked}
        fault={faults["subject"]}
        about={SUBJECT_LENGTH}
      />
      <LiquidField
        label={t("composer.fields.preview_text")}
        value={draft.preview_text ?? ""}
        onChange={(text) => change({ preview_text: text || null })}
        names={names}
        isReadOnly={isLocked}
        fault={faults["preview_text"]}
        about={PREVIEW_LENGTH}
        hint={t("composer.subject.previewHint")}
      />
      {children}
    </Group>
  );
});
