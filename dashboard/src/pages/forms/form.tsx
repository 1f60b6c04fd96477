/** One sign-up form: what it asks and says, what it looks like, and how it gets onto a site. */
import "../../i18n/later/forms.ts";
import "./forms.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ExternalLink, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { request } from "../../api/client.ts";
import type { Form, FormPatch } from "../../api/openapi.ts";
import { queryWithEtag } from "../../api/queries.ts";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import type { Versioned } from "../../kit/forms/edit-dialog.tsx";
import { EditForm } from "../../kit/forms/edit-form.tsx";
import { readValues } from "../../kit/forms/form.tsx";
import { Icon } from "../../kit/icon.tsx";
import { PageHead } from "../../kit/page.tsx";
import { Failure, SkeletonLines } from "../../kit/states.tsx";
import { notify } from "../../kit/toasts.tsx";
import { useLists } from "../subscribers/reference-data.ts";
import { DeleteForm } from "./delete-form.tsx";
import { bodyOf, TEXTS } from "./form-body.ts";
import { FormFields } from "./form-fields.tsx";
import { FormPreview } from "./form-preview.tsx";
import { FormSnippet } from "./form-snippet.tsx";
import { FormState } from "./form-state.tsx";

const route = getRouteApi("/signed-in/forms/$id");

export function FormPage() {
  const { id } = route.useParams();
  // Another form is another page.
  return <OneForm key={id} id={id} />;
}

function OneForm({ id }: { id: string }) {
  const { t } = useTranslation();
  const found = useQuery({ ...queryWithEtag("GET /v1/forms/{id}", { path: { id } }), gcTime: 0 });
  if (found.data) return <EditedForm found={found.data} />;
  return (
    <>
      <PageHead title={t("forms.one.title")} crumb={{ label: t("nav.forms"), to: "/forms" }} />
      {found.error ? (
        <Failure title={t("forms.unreadable")} error={found.error} retry={() => void found.refetch()} />
      ) : (
        <SkeletonLines />
      )}
    </>
  );
}

function EditedForm({ found }: { found: Versioned<Form> }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  const [patch, setPatch] = useState<FormPatch>({});
  const list = useLists().find(({ id }) => id === found.body.list_id);
  const form = found.body;
  const path = { id: form.id };
  const labels: Readonly<Record<string, string>> = {
    name: t("forms.name"),
    status: t("forms.state"),
    double_opt_in: t("forms.one.doubleOptIn"),
    checks: t("forms.one.checks.label"),
    fields: t("forms.asked.title"),
    locale: t("forms.one.locale"),
    redirect_url: t("forms.one.redirect"),
    tags: t("forms.one.tags"),
    topic_ids: t("forms.one.topics"),
    ...Object.fromEntries(TEXTS.map((name) => [`texts.${name}`, t(`forms.one.texts.${name}`)])),
  };
  return (
    <>
      <PageHead
        title={form.name}
        crumb={{ label: t("nav.forms"), to: "/forms" }}
        sub={
          <>
            <FormState form={form} />
            {list && <span dir="auto">{list.name}</span>}
            <span className="dim">{t("forms.version", { number: form.version })}</span>
          </>
        }
        actions={
          <>
            <CopyButton text={form.url} label={t("forms.copyAddress")} />
            <a className="btn" href={form.url} target="_blank" rel="noreferrer">
              <Icon of={ExternalLink} />
              {t("forms.open")}
            </a>
          </>
        }
      />
      <div className="body form-page">
        <div className="stack-4">
          <EditForm
            found={found}
            patchOf={bodyOf}
            save={(body, ifMatch) => request("PATCH /v1/forms/{id}", { path, body, ifMatch })}
            read={() => request("GET /v1/forms/{id}", { path })}
            labelOf={(name) => labels[name] ?? name}
            onSaved={({ body }) => {
              void queries.invalidateQueries({ queryKey: ["forms"] });
              notify(t("forms.saved", { name: body.name }));
            }}
          >
            {(now, touch) => (
              <Watched key={now.version} onTyped={setPatch}>
                {(tell) => (
                  <FormFields
                    form={now}
                    onAsked={() => {
                      touch();
                      tell();
                    }}
                  />
                )}
              </Watched>
            )}
          </EditForm>
          <div>
            <Button kind="quiet" icon={Trash2} onClick={() => setDeleting(true)}>
              {t("forms.delete.action")}
            </Button>
          </div>
        </div>
        <div className="form-beside">
          <FormPreview id={form.id} patch={patch} />
          <FormSnippet form={form} />
        </div>
      </div>
      {isDeleting && (
        <DeleteForm
          form={form}
          onClose={() => setDeleting(false)}
          // What was typed for a form that is gone can't be saved any more.
          onDeleted={() => void navigate({ to: "/forms", ignoreBlocker: true })}
        />
      )}
    </>
  );
}

type WatchedProps = {
  onTyped: (patch: FormPatch) => void;
  /** `tell` says that something changed which no element of the form tells of by itself. */
  children: (tell: () => void) => React.ReactNode;
};

/** Tells what the form around it holds, at first and whenever something in it changes. */
function Watched({ onTyped, children }: WatchedProps) {
  const within = useRef<HTMLDivElement>(null);
  const [changes, setChanges] = useState(0);
  const tell = () => setChanges((count) => count + 1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change is read after it was drawn.
  useEffect(() => {
    const form = within.current?.closest("form");
    if (form) onTyped(bodyOf(readValues(form)));
  }, [changes, onTyped]);
  return (
    <div ref={within} className="stack-4" onChange={tell}>
      {children(tell)}
    </div>
  );
}
