/** The draft as an outline: what is before the first step, the steps, and what is wrong beside them. */
import { useTranslation } from "react-i18next";
import { useEditing } from "./editing.ts";
import { FaultList } from "./fault-list.tsx";
import { SequenceList } from "./outline-list.tsx";
import { EntryItem, ExitsItem, SendItem } from "./sections.tsx";

export function OutlineView() {
  const { t } = useTranslation();
  const { outline, isLocked } = useEditing();
  return (
    <div className="automation">
      <fieldset className="automation-main" disabled={isLocked}>
        <legend className="sr">{t("automations.outline.title")}</legend>
        <ul className="steps sections" aria-label={t("automations.outline.before")}>
          <EntryItem />
          <ExitsItem />
          <SendItem />
        </ul>
        <h2 className="automation-heading">{t("automations.outline.title")}</h2>
        <SequenceList
          sequence={outline.main}
          label={t("automations.outline.title")}
          addFirst={t("automations.outline.addFirst")}
        />
        {outline.apart.length > 0 && (
          <section className="stack" aria-label={t("automations.outline.apart")}>
            <h2 className="automation-heading">{t("automations.outline.apart")}</h2>
            <p className="sm mid">{t("automations.outline.apartHint")}</p>
            {outline.apart.map((one) => (
              <SequenceList
                key={one.steps[0]?.id}
                sequence={one}
                label={t("automations.outline.apart")}
                addFirst={t("automations.outline.addFirst")}
              />
            ))}
          </section>
        )}
        {!isLocked && <p className="xs dim hide-s">{t("automations.outline.keys")}</p>}
      </fieldset>
      <aside className="automation-aside" aria-label={t("automations.outline.faults")}>
        <FaultList />
      </aside>
    </div>
  );
}
