import { useTranslation } from "react-i18next";
import { Button } from "../../../../kit/button.tsx";
import { Empty } from "../../../../kit/states.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import type { Draft } from "../draft/use-draft.ts";
import { CodeEditor, type CodeEditorProps } from "../editor/code-editor.tsx";

type Text = Pick<Draft, "text">;
type Props = {
  drafting: { readonly draft: Text; readonly change: (patch: Text) => void };
  isLocked: boolean;
  editor: Omit<CodeEditorProps, "kind" | "value" | "onChange">;
};

/** The part for programs that show no HTML. It is made from the HTML, unless somebody writes their own. */
export function TextPart({ drafting, isLocked, editor }: Props) {
  const { t } = useTranslation();
  const { text } = drafting.draft;
  const { change } = drafting;
  if (text === null)
    return (
      <Empty title={t("composer.text.madeTitle")} text={t("composer.text.madeText")}>
        <Button disabled={isLocked} onClick={() => change({ text: "" })}>
          {t("composer.text.own")}
        </Button>
      </Empty>
    );
  const make = () => {
    change({ text: null });
    if (text) notify(t("composer.text.made"), { label: t("do.undo"), run: () => change({ text }) });
  };
  return (
    <>
      <div className="composer-text-head sm mid">
        <span className="grow">{t("composer.text.ownHint")}</span>
        <Button size="sm" disabled={isLocked} onClick={make}>
          {t("composer.text.make")}
        </Button>
      </div>
      <CodeEditor {...editor} kind="text" value={text} onChange={(typed) => change({ text: typed })} />
    </>
  );
}
