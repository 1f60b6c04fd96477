/** Begins a template: empty, or with a complete mail. What is chosen is made at once, under the name that was typed or its own. */
import "../../../i18n/later/writing/editor.ts";
import "../../campaigns/composer/editor/editor.css";
import "../templates.css";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Blocks, Code, FileCode2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { TemplateCreate } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { query } from "../../../api/queries.ts";
import { Button } from "../../../kit/button.tsx";
import { TextField } from "../../../kit/forms/field.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { sentence } from "../../../kit/sentence.ts";
import { Failure, SkeletonLines } from "../../../kit/states.tsx";
import { type Starter, StarterCard } from "../../campaigns/composer/editor/starters.tsx";
import { BLANK } from "../../campaigns/composer/fields/switch-kind.tsx";

type Beginning = Omit<TemplateCreate, "name">;

export function NewTemplate({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const starters = useQuery(query("GET /v1/starters", { query: { for: "template" } }));
  const [name, setName] = useState("");
  const making = useMake();
  const { busy, error } = making;
  const nameFault = error && faultOfName(error);
  const make = (key: string, label: string, begin: Beginning) =>
    void making.make(key, { name: name.trim() || label, ...begin });
  const begin = async (kind: "blocks" | "mjml" | "html") => {
    const written =
      kind === "blocks"
        ? { blocks: (await import("../../campaigns/composer/blocks/first-mail.ts")).firstMail() }
        : { [kind]: BLANK[kind] };
    make(kind, t("templates.blank"), { subject: "", ...written });
  };
  return (
    <Dialog
      title={t("templates.newTitle")}
      lead={t("templates.newLead")}
      onClose={onClose}
      footer={
        <Button kind="quiet" onClick={onClose}>
          {t("do.cancel")}
        </Button>
      }
    >
      <TextField
        name="name"
        label={t("templates.newName")}
        hint={t("templates.newNameHint")}
        optional
        maxLength={200}
        autoComplete="off"
        value={name}
        fault={nameFault}
        onChange={(event) => {
          setName(event.target.value);
          making.forget();
        }}
      />
      <div className="row wrap">
        {(
          [
            ["blocks", "blankBlocks", Blocks],
            ["mjml", "blankMjml", FileCode2],
            ["html", "blankHtml", Code],
          ] as const
        ).map(([kind, label, icon]) => (
          <Button key={kind} icon={icon} busy={busy === kind} onClick={() => void begin(kind)}>
            {t(`templates.${label}`)}
          </Button>
        ))}
      </div>
      {error && !nameFault && <ProblemNote error={error} />}
      <h3>{t("templates.starters")}</h3>
      {starters.error ? (
        <Failure
          title={t("templates.startersUnreadable")}
          error={starters.error}
          retry={() => void starters.refetch()}
        />
      ) : starters.data ? (
        <ul className="starters">
          {starters.data.data.map((starter) => (
            <StarterCard
              key={starter.id}
              starter={{ ...starter, format: undefined }}
              isBusy={busy === starter.id}
              choose={() =>
                make(starter.id, starter.name, { starter: starter.id as NonNullable<Beginning["starter"]> })
              }
            />
          ))}
        </ul>
      ) : (
        <SkeletonLines lines={6} />
      )}
    </Dialog>
  );
}

/** A name that is taken, or can't be one, is said at the field. */
function faultOfName(error: ApiError): string | undefined {
  if (error.code === "template_exists") return sentence(error.message);
  const fault = error.faults.find(({ pointer }) => pointer === "/name");
  return fault && sentence(fault.detail);
}

function useMake() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [busy, setBusy] = useState<Starter["id"]>();
  const [error, setError] = useState<ApiError>();
  return {
    busy,
    error,
    forget: () => setError(undefined),
    async make(key: string, body: TemplateCreate) {
      setBusy(key);
      setError(undefined);
      try {
        const { id } = await call("POST /v1/templates", { body });
        await navigate({ to: "/templates/$id", params: { id } });
        await queries.invalidateQueries({ queryKey: ["templates"] });
      } catch (thrown) {
        setError(asApiError(thrown));
        setBusy(undefined);
      }
    },
  };
}
