/** What the mail looks like while it is typed, filled in with the samples or with values that somebody types. */
import "../../../i18n/later/writing/mail-preview.ts";
import "../../campaigns/composer/preview/preview.css";
import { Eye, ImageIcon, Moon } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "../../../api/problem.ts";
import { formatList } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { useRegisterActions } from "../../../shell/actions.ts";
import { PreviewFault } from "../../campaigns/composer/preview/preview-fault.tsx";
import type { PreviewView } from "../../campaigns/composer/preview/search.ts";
import { ShownMail, showsOthers, Views } from "../../campaigns/composer/preview/shown-mail.tsx";
import { samplesOf, type Variable } from "../content/typed-value.ts";
import type { TemplateDraft } from "../draft/use-template.ts";
import type { TemplateSearch } from "../search.ts";
import { useRendering, useTyped } from "./use-rendering.ts";
import { readValues, type Values, ValuesChoice } from "./values-choice.tsx";

type Props = {
  templateId: string;
  draft: TemplateDraft;
  search: TemplateSearch;
  onSearch: (search: TemplateSearch) => void;
  /** Hears what is wrong with the values, by the names of the variables. */
  onFaults: (faults: Readonly<Record<string, string>>) => void;
  onShow: (place: { part: string; line: number; column: number }) => void;
};

/** The lines tell each letter at once; a pause keeps requests from piling up. */
const PAUSE_MS = 80;
const OF_VARIABLE = "/variables/";
const DECLARED = /^\/draft\/variables\/(\d+)\//;

export function TemplatePreview({ templateId, draft, search, onSearch, onFaults, onShow }: Props) {
  const { t } = useTranslation();
  const view: PreviewView = search.preview ?? "phone";
  const isShown = view !== "off";
  const isDark = search.dark === true;
  const [hasAllPictures, setAllPictures] = useState(false);
  const [given, setGiven] = useState<Values>({ json: undefined, isStrict: false });
  const typed = useTyped(draft);
  const body = useMemo(() => {
    const read = given.json === undefined ? undefined : readValues(given.json);
    if (!isShown || (read && "fault" in read)) return undefined;
    const variables = read?.values ?? samplesOf(draft.variables);
    return { draft: typed, variables, strict: given.isStrict };
  }, [typed, draft.variables, given, isShown]);
  const { rendering, error, retry } = useRendering(templateId, body, PAUSE_MS);
  const faults = useMemo(() => faultsOfValues(error), [error]);
  useEffect(() => onFaults(faults), [faults, onFaults]);
  const named = useMemo(
    () =>
      error &&
      withNames(error, draft.variables, (name, detail) => t("templates.values.fault", { name, detail })),
    [error, draft.variables, t],
  );
  const hasOthers = useMemo(() => showsOthers(rendering?.html ?? ""), [rendering?.html]);
  const toggle = () => onSearch({ preview: isShown ? "off" : undefined });
  useRegisterActions([
    { id: "toggle-preview", label: t("mailPreview.toggle"), icon: Eye, keys: "mod+\\", run: toggle },
  ]);
  return (
    <section className="mail-preview" aria-label={t("mailPreview.title")}>
      <div className="mail-preview-bar">
        <Views view={view} onView={(next) => onSearch({ preview: next === "phone" ? undefined : next })} />
        <Button
          size="sm"
          icon={Moon}
          aria-label={t("mailPreview.dark")}
          aria-pressed={isDark}
          onClick={() => onSearch({ dark: isDark ? undefined : true })}
        />
      </div>
      <ValuesChoice variables={draft.variables} values={given} onChange={setGiven} />
      {isShown && (
        <div className="mail-preview-ground">
          {named && (
            <PreviewFault error={named} retry={retry} onShow={onShow} hasLast={rendering !== undefined} />
          )}
          {rendering && !error && rendering.missing.length > 0 && (
            <p className="sm mid template-missing" role="status">
              {t("templates.values.missing", {
                count: rendering.missing.length,
                names: formatList([...rendering.missing]),
              })}
            </p>
          )}
          {rendering && (
            <ShownMail view={view} mail={rendering} isDark={isDark} hasAllPictures={hasAllPictures} />
          )}
          {hasOthers && view !== "text" && !hasAllPictures && (
            <Button size="sm" kind="quiet" icon={ImageIcon} onClick={() => setAllPictures(true)}>
              {t("mailPreview.pictures")}
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

const nameIn = (pointer = "") =>
  pointer.startsWith(OF_VARIABLE)
    ? pointer.slice(OF_VARIABLE.length).replaceAll("~1", "/").replaceAll("~0", "~")
    : undefined;

function faultsOfValues(error: ApiError | undefined): Readonly<Record<string, string>> {
  const found = (error?.faults ?? []).flatMap(({ pointer, detail }) => {
    const name = nameIn(pointer);
    return name === undefined ? [] : [[name, sentence(detail)] as const];
  });
  return Object.fromEntries(found);
}

/** What is said of a value says also of which. */
function withNames(
  error: ApiError,
  variables: readonly Variable[],
  say: (name: string, detail: string) => string,
): ApiError {
  const errors = error.faults.map((fault) => {
    const [, nth] = DECLARED.exec(fault.pointer ?? "") ?? [];
    const name = nth === undefined ? nameIn(fault.pointer) : variables[Number(nth)]?.name;
    return name === undefined ? fault : { ...fault, detail: say(name, fault.detail) };
  });
  return new ApiError({ ...error.members, detail: error.message, errors }, error.retryAfter);
}
