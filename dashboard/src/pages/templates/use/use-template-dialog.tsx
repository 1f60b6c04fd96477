/** How the template is used: by a program, or as the beginning of a campaign. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { KeyRound, Send } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import { useMay } from "../../../api/may.ts";
import type { Template } from "../../../api/openapi.ts";
import { query } from "../../../api/queries.ts";
import { formatList } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyButton } from "../../../kit/copy-button.tsx";
import { SelectField, TextField } from "../../../kit/forms/field.tsx";
import { Form } from "../../../kit/forms/form.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { exampleValues } from "../content/typed-value.ts";
import type { Undeclared } from "../preview/use-rendering.ts";
import { curlOf, typescriptOf } from "./snippets.ts";

type Props = { template: Template; undeclared: readonly Undeclared[]; onClose: () => void };

export default function UseTemplateDialog({ template, undeclared, onClose }: Props) {
  const { t } = useTranslation();
  const { published_version: number } = template;
  return (
    <Dialog
      title={t("templates.use.title")}
      lead={t("templates.use.lead")}
      onClose={onClose}
      footer={
        <Button kind="quiet" onClick={onClose}>
          {t("do.close")}
        </Button>
      }
    >
      <div className="template-use">
        {number === null && <p className="note warn">{t("templates.use.notPublished")}</p>}
        {number !== null && template.has_unpublished_changes && (
          <p className="note info">{t("templates.use.unpublished", { number })}</p>
        )}
        <Snippets template={template} undeclared={undeclared} />
        {number !== null && <FromIt template={template} />}
      </div>
    </Dialog>
  );
}

const LANGUAGES = { curl: curlOf, typescript: typescriptOf };

function Snippets({ template, undeclared }: Omit<Props, "onClose">) {
  const { t } = useTranslation();
  const [language, setLanguage] = useState<keyof typeof LANGUAGES>("curl");
  const { data: account } = useQuery(query("GET /v1/account", {}));
  const may = useMay();
  const code = LANGUAGES[language]({
    origin: window.location.origin,
    templateId: template.id,
    from: account?.from_email ?? "you@example.com",
    variables: exampleValues(template.variables),
  });
  const ofCampaigns = undeclared.filter(({ is_of_campaigns }) => is_of_campaigns).map(({ name }) => name);
  return (
    <section className="stack">
      {ofCampaigns.length > 0 && (
        <p className="note info">
          {t("templates.use.ofCampaigns", { names: formatList([...new Set(ofCampaigns)].slice(0, 5)) })}
        </p>
      )}
      <fieldset className="seg" aria-label={t("templates.use.language")}>
        {(["curl", "typescript"] as const).map((one) => (
          <button key={one} type="button" aria-pressed={language === one} onClick={() => setLanguage(one)}>
            {t(`templates.use.${one}`)}
          </button>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard. */}
      <section className="code template-code" tabIndex={0} aria-label={t("templates.use.code")}>
        {code}
      </section>
      <div className="row wrap">
        <CopyButton size="sm" text={code} />
        {may("api_keys:write") && (
          <Link to="/api-keys" className="btn btn-sm">
            <Icon of={KeyRound} />
            {t("templates.use.key")}
          </Link>
        )}
      </div>
    </section>
  );
}

const MOST_LISTS = 200;

/** A campaign takes the published words as its own. */
function FromIt({ template }: { template: Template }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const lists = useQuery(query("GET /v1/lists", { query: { limit: MOST_LISTS } }));
  if (!lists.data) return null;
  return (
    <section className="stack">
      <h3>{t("templates.use.campaignTitle")}</h3>
      <p className="sm mid">{t("templates.use.campaignLead")}</p>
      {lists.data.data.length === 0 ? (
        <Link to="/lists" className="link">
          {t("templates.use.noList")}
        </Link>
      ) : (
        <Form
          submit={async (values) => {
            const name = values.text("name");
            const subject = template.subject.trim() || name;
            const body = { name, subject, list_id: values.text("list_id"), template_id: template.id };
            const { id } = await call("POST /v1/campaigns", { body });
            await navigate({ to: "/campaigns/$id/edit", params: { id } });
            await queries.invalidateQueries({ queryKey: ["campaigns"] });
          }}
        >
          {({ busy, note }) => (
            <>
              <TextField
                name="name"
                label={t("templates.use.campaignName")}
                maxLength={200}
                autoComplete="off"
                defaultValue={template.name}
              />
              <SelectField
                name="list_id"
                label={t("templates.use.list")}
                options={lists.data.data.map(({ id, name }) => ({ value: id, label: name }))}
              />
              {note}
              <div>
                <Button type="submit" icon={Send} busy={busy}>
                  {t("templates.use.campaignAction")}
                </Button>
              </div>
            </>
          )}
        </Form>
      )}
    </section>
  );
}
