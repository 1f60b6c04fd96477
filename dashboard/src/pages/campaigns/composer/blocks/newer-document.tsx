/** The outline of a mail of which a newer version made the whole, in place of the editor. */
import { useTranslation } from "react-i18next";
import { Button } from "../../../../kit/button.tsx";
import type { BlocksEditorProps } from "./editor/blocks-editor-props.ts";
import { outlineOf } from "./outline.ts";

export default function NewerDocument({
  document,
  isLocked,
  convert,
}: Pick<BlocksEditorProps, "document" | "isLocked" | "convert">) {
  const { t } = useTranslation();
  const lines = outlineOf(document);
  return (
    <div className="blocks-newer stack-4">
      <p className="sm mid">{t("composer.blocks.newer")}</p>
      {!isLocked && (
        <div>
          <Button onClick={convert}>{t("composer.blocks.convert")}</Button>
        </div>
      )}
      <section className="stack tight" aria-label={t("composer.blocks.outline")}>
        <h3 className="flabel">{t("composer.blocks.outline")}</h3>
        {lines.length === 0 && <p className="sm dim">{t("composer.blocks.none")}</p>}
        <ol className="blocks-outline">
          {lines.map(({ id, type, words, isInColumn }) => (
            <li key={id} className={isInColumn ? "in-column" : undefined}>
              <span className="badge">{type}</span>
              <span className="sm trunc" dir="auto">
                {words}
              </span>
            </li>
          ))}
        </ol>
      </section>
    </div>
  );
}
