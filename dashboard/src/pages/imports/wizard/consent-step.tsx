/** How people agreed. It is kept with every subscriber that the import makes, for whoever asks one day. */
import { ArrowLeft, Upload } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Checkbox } from "../../../kit/forms/field.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { useLists } from "../../subscribers/reference-data.ts";
import { useImport } from "../use-import.ts";
import { Sending } from "./sending.tsx";
import type { StepProps } from "./step-props.ts";
import { useSend } from "./use-send.ts";

export function ConsentStep({
  draft,
  change,
  go,
  onImported,
}: StepProps & { onImported: (id: string) => void }) {
  const { t } = useTranslation();
  const lists = useLists();
  const { send, share, error, isSending } = useSend({ draft, change }, false);
  const list = lists.find(({ id }) => id === draft.listId);
  const tried = useImport(draft.trial?.id).data;
  const rows = tried ? (tried.counts.total ?? 0) - tried.counts.failed : 0;

  const importIt = async () => {
    const made = await send();
    if (made) onImported(made.id);
  };
  return (
    <>
      <form
        id="wizard-consent"
        className="body stack-6 wizard-body"
        onSubmit={(event) => {
          event.preventDefault();
          void importIt();
        }}
      >
        <p className="mid">{t("wizard.consent.lead")}</p>
        <Checkbox
          label={t("wizard.consent.attested")}
          hint={list?.double_opt_in ? t("wizard.consent.required") : t("wizard.consent.attestedHint")}
          checked={draft.isAttested}
          onChange={(event) => change({ isAttested: event.target.checked })}
        />
        <label className="field">
          <span className="flabel">
            {t("wizard.consent.source")} <span className="dim">{t("form.optional")}</span>
          </span>
          <input
            className="input"
            maxLength={200}
            autoComplete="off"
            value={draft.consentSource}
            placeholder={t("wizard.consent.sourceExample")}
            onChange={(event) => change({ consentSource: event.target.value })}
          />
          <span className="hint">{t("wizard.consent.sourceHint")}</span>
        </label>
        <label className="field">
          <span className="flabel">
            {t("wizard.consent.wording")} <span className="dim">{t("form.optional")}</span>
          </span>
          <textarea
            className="input"
            rows={3}
            maxLength={2_000}
            value={draft.wording}
            placeholder={t("wizard.consent.wordingExample")}
            onChange={(event) => change({ wording: event.target.value })}
          />
          <span className="hint">{t("wizard.consent.wordingHint")}</span>
        </label>
        <Checkbox
          label={t("wizard.automations.label")}
          hint={t("wizard.automations.hint")}
          checked={draft.triggersAutomations}
          onChange={(event) => change({ triggersAutomations: event.target.checked })}
        />
        {share !== undefined && <Sending share={share} />}
        {error && <ProblemNote error={error} />}
      </form>
      <footer className="wizard-foot">
        <Button kind="quiet" icon={ArrowLeft} onClick={() => go("try")}>
          {t("wizard.back")}
        </Button>
        <span className="sm dim hide-s">{t("wizard.consent.undo")}</span>
        <span className="grow" />
        <Button kind="go" icon={Upload} type="submit" form="wizard-consent" busy={isSending}>
          {t("wizard.consent.next", { count: rows, number: formatNumber(rows) })}
        </Button>
      </footer>
    </>
  );
}
