/** The middle pane: in which language the mail is written, and the editor; or the text part of its own. */
import { History } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import type { Drafting } from "./draft/use-draft.ts";
import { type Kind, SwitchKind, useKind } from "./fields/switch-kind.tsx";
import { TextPart } from "./fields/text-part.tsx";

const KINDS = ["mjml", "html"] as const;

type Props = { drafting: Drafting; isLocked: boolean; onVersions: () => void };

export function Content({ drafting, isLocked, onVersions }: Props) {
  const { t } = useTranslation();
  const { draft, faults, change } = drafting;
  const kind = useKind(draft);
  const [isText, setText] = useState(false);
  const [wanted, setWanted] = useState<Kind>();
  const choose = (next: Kind) => {
    setText(false);
    if (next !== kind) setWanted(next);
  };
  const fault = faults[kind] ?? faults["template_id"];
  return (
    <section className="composer-stage" aria-label={t("composer.content.title")}>
      <div className="composer-tools">
        <fieldset className="seg" aria-label={t("composer.content.kind")}>
          {KINDS.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={!isText && one === kind}
              onClick={() => choose(one)}
            >
              {t(`composer.fields.${one}`)}
            </button>
          ))}
          <button type="button" aria-pressed={isText} onClick={() => setText(true)}>
            {t("composer.fields.text")}
          </button>
        </fieldset>
        <span className="grow" />
        <Button kind="quiet" size="sm" icon={History} onClick={onVersions}>
          {t("composer.versions.title")}
        </Button>
      </div>
      {isText ? (
        <TextPart drafting={drafting} isLocked={isLocked} />
      ) : (
        <textarea
          className="composer-source"
          aria-label={t(`composer.fields.${kind}`)}
          value={draft[kind] ?? ""}
          readOnly={isLocked}
          onChange={(event) => change({ [kind]: event.target.value })}
        />
      )}
      {fault && <p className="composer-source-fault">{fault}</p>}
      {wanted && (
        <SwitchKind drafting={drafting} from={kind} to={wanted} onClose={() => setWanted(undefined)} />
      )}
    </section>
  );
}
