/** The three panes of a template, under one bar. On a narrow screen they stand below each other in the order of the work. */
import { getRouteApi } from "@tanstack/react-router";
import { Code, History, Rocket, Save } from "lucide-react";
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CampaignCheck } from "../../../api/openapi.ts";
import { lazyPart } from "../../../lazy-page.ts";
import { useRegisterActions } from "../../../shell/actions.ts";
import { ChecksPanel } from "../../campaigns/composer/checks/checks-panel.tsx";
import { LeaveComposer } from "../../campaigns/composer/draft/leave-composer.tsx";
import { LiquidField } from "../../campaigns/composer/fields/liquid-field.tsx";
import type { LiquidLineHandle } from "../../campaigns/composer/fields/liquid-line.tsx";
import { Group } from "../../campaigns/composer/group.tsx";
import { TemplateLines } from "../draft/template-lines.tsx";
import type { TemplateDrafting } from "../draft/use-template.ts";
import { TemplatePreview } from "../preview/template-preview.tsx";
import { faultsByVariable, useTemplateChecks } from "../preview/use-rendering.ts";
import type { TemplateSearch } from "../search.ts";
import { TemplateBar } from "./template-bar.tsx";
import { type ContentHandle, type Place, TemplateContent } from "./template-content.tsx";
import { useTemplateNames } from "./use-names.ts";
import { VariablesSummary } from "./variables-summary.tsx";

const Publish = lazyPart(() => import("../versions/publish.tsx"));
const Versions = lazyPart(() => import("../versions/versions.tsx"));
const UseTemplate = lazyPart(() => import("../use/use-template-dialog.tsx"));

const route = getRouteApi("/signed-in/templates/$id");

const SUBJECT_LENGTH = 60;
const PREVIEW_LENGTH = 90;

export function TemplateDesk({ drafting }: { drafting: TemplateDrafting }) {
  const { t } = useTranslation();
  const { draft, template, state, faults, change } = drafting;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const show = useCallback(
    (next: TemplateSearch) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true }),
    [navigate],
  );
  const [open, setOpen] = useState<"publish" | "use">();
  const close = () => setOpen(undefined);
  const isLocked = state.kind === "deleted";
  const names = useTemplateNames(draft.variables);
  const { checks, undeclared } = useTemplateChecks(template.id, draft);
  const [valueFaults, setValueFaults] = useState<Readonly<Record<string, string>>>({});
  const content = useRef<ContentHandle>(null);
  const subject = useRef<LiquidLineHandle>(null);
  const preview = useRef<LiquidLineHandle>(null);
  const flush = useCallback(() => content.current?.flush(), []);
  const { heedTyping } = drafting;
  useEffect(() => heedTyping(flush), [heedTyping, flush]);
  const save = () => {
    flush();
    return drafting.save();
  };
  const showPlace = useCallback((place: Place) => {
    if (place.part === "subject") subject.current?.focus();
    else if (place.part === "preheader" || place.part === "preview_text") preview.current?.focus();
    else content.current?.show(place);
  }, []);
  const showCheck = useCallback(({ place }: CampaignCheck) => void (place && showPlace(place)), [showPlace]);
  const openPart = useCallback((part: TemplateSearch["part"]) => show({ part }), [show]);
  const openVersions = () => show({ versions: true });
  const openPublish = () => {
    flush();
    setOpen("publish");
  };
  const openUse = () => setOpen("use");
  const byVariable = useMemo(() => ({ ...valueFaults, ...faultsByVariable(faults) }), [valueFaults, faults]);
  useRegisterActions([
    { id: "template-save", label: t("composer.saveNow"), icon: Save, keys: "mod+s", run: () => void save() },
    {
      id: "template-publish",
      label: t("templates.one.publish"),
      icon: Rocket,
      keys: "mod+Enter",
      run: openPublish,
    },
    { id: "template-use", label: t("templates.use.title"), icon: Code, run: openUse },
    { id: "template-versions", label: t("templates.versions.title"), icon: History, run: openVersions },
  ]);
  return (
    <div className="composer">
      <TemplateBar drafting={drafting} isLocked={isLocked} onUse={openUse} onPublish={openPublish} />
      <TemplateLines drafting={drafting} />
      <div className="composer-panes">
        <fieldset className="composer-pane composer-to" disabled={isLocked}>
          <legend className="sr">{t("templates.one.about")}</legend>
          <Group title={t("composer.subject.title")} isTitleHidden>
            <LiquidField
              label={t("templates.fields.subject")}
              value={draft.subject}
              onChange={(next) => change({ subject: next })}
              names={names}
              handle={subject}
              isReadOnly={isLocked}
              fault={faults["subject"]}
              about={SUBJECT_LENGTH}
            />
            <LiquidField
              label={t("templates.fields.preview_text")}
              value={draft.preview_text ?? ""}
              onChange={(next) => change({ preview_text: next || null })}
              names={names}
              handle={preview}
              isReadOnly={isLocked}
              fault={faults["preview_text"]}
              about={PREVIEW_LENGTH}
              hint={t("composer.subject.previewHint")}
            />
          </Group>
          <VariablesSummary
            variables={draft.variables}
            undeclared={undeclared}
            change={change}
            onEdit={() => openPart("variables")}
          />
        </fieldset>
        <TemplateContent
          drafting={drafting}
          names={names}
          checks={checks}
          faultsOfVariables={byVariable}
          undeclared={undeclared}
          isLocked={isLocked}
          part={search.part}
          onPart={openPart}
          onVersions={openVersions}
          handle={content}
        />
        <div className="composer-pane composer-aside">
          <TemplatePreview
            templateId={template.id}
            draft={draft}
            search={search}
            onSearch={show}
            onFaults={setValueFaults}
            onShow={showPlace}
          />
          <ChecksPanel checks={checks} onShow={showCheck} stops="publish" />
        </div>
      </div>
      <Suspense>
        {open === "publish" && <Publish drafting={drafting} save={save} onClose={close} onShow={showPlace} />}
        {open === "use" && <UseTemplate template={template} undeclared={undeclared} onClose={close} />}
        {search.versions && (
          <Versions
            drafting={drafting}
            from={search.from}
            to={search.to}
            onShow={show}
            onClose={() => show({ versions: undefined, from: undefined, to: undefined })}
          />
        )}
      </Suspense>
      <LeaveComposer drafting={drafting} flush={flush} save={save} />
    </div>
  );
}
