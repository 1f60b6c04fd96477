/** Templates to begin with, each shown as it looks. One takes the place of what is written, which can be undone. */

import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ofAccount } from "../../../../api/account.ts";
import { type Answer, call } from "../../../../api/client.ts";
import { type ApiError, asApiError } from "../../../../api/problem.ts";
import { query } from "../../../../api/queries.ts";
import { Button } from "../../../../kit/button.tsx";
import { ProblemNote } from "../../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../../kit/overlays/dialog.tsx";
import { Failure, SkeletonLines } from "../../../../kit/states.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import type { Draft } from "../draft/draft.ts";

export type Starter = Answer<"GET /v1/starters">["data"][number];
type Written = Pick<Draft, "html" | "mjml" | "blocks" | "subject" | "preview_text">;

type Props = {
  /** Whether it goes on in blocks, or in the language in which the template is written. */
  asBlocks: boolean;
  draft: Written;
  change: (patch: Partial<Written>) => void;
  onClose: () => void;
};

export function Starters({ asBlocks, draft, change, onClose }: Props) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery(query("GET /v1/starters", {}));
  const [asked, setAsked] = useState<Starter>();
  const [busy, setBusy] = useState<string>();
  const [fault, setFault] = useState<ApiError>();
  const take = async ({ id, name }: Starter) => {
    setBusy(id);
    setFault(undefined);
    try {
      const { html, mjml, blocks, subject, preview_text } = await call("GET /v1/starters/{starter}", {
        path: { starter: id },
      });
      const before = { html: draft.html, mjml: draft.mjml, blocks: draft.blocks, ...envelopeOf(draft) };
      const written = asBlocks ? { html: null, mjml: null, blocks } : { html, mjml, blocks: null };
      change({ ...written, ...fillEmpty(draft, { subject, preview_text }) });
      notify(t("editor.starters.taken", { name }), { label: t("do.undo"), run: () => change(before) });
      onClose();
    } catch (thrown) {
      setFault(asApiError(thrown));
      setBusy(undefined);
      setAsked(undefined);
    }
  };
  const choose = (starter: Starter) => (isWritten(draft) ? setAsked(starter) : void take(starter));
  return (
    <Dialog
      title={t("editor.starters.title")}
      lead={t("editor.starters.lead")}
      onClose={onClose}
      over={
        asked && (
          <ReplaceDialog
            name={asked.name}
            isBusy={busy !== undefined}
            replace={() => void take(asked)}
            onClose={() => setAsked(undefined)}
          />
        )
      }
      footer={
        <Button kind="quiet" onClick={onClose}>
          {t("do.cancel")}
        </Button>
      }
    >
      {fault && <ProblemNote error={fault} />}
      {error ? (
        <Failure title={t("editor.starters.unreadable")} error={error} retry={() => void refetch()} />
      ) : data ? (
        <ul className="starters">
          {data.data.map((starter) => (
            <StarterCard
              key={starter.id}
              starter={asBlocks ? { ...starter, format: undefined } : starter}
              isBusy={busy === starter.id}
              choose={() => choose(starter)}
            />
          ))}
        </ul>
      ) : (
        <SkeletonLines lines={6} />
      )}
    </Dialog>
  );
}

type CardProps = {
  starter: Omit<Starter, "format"> & { readonly format?: Starter["format"] | undefined };
  isBusy: boolean;
  choose: () => void;
};

export function StarterCard({ starter, isBusy, choose }: CardProps) {
  const { t } = useTranslation();
  const { id, name, description, format } = starter;
  return (
    <li className="starter">
      {/* The frame is a picture of the template; the button beside it covers the whole card. */}
      <div className="starter-picture" inert aria-hidden="true">
        <iframe
          title={t("editor.starters.picture", { name })}
          sandbox=""
          loading="lazy"
          tabIndex={-1}
          src={ofAccount(`/v1/starters/${encodeURIComponent(id)}/html`)}
        />
      </div>
      <div className="starter-about">
        <button
          type="button"
          className="starter-choose"
          disabled={isBusy}
          aria-busy={isBusy}
          onClick={choose}
        >
          {name}
        </button>
        {format && <span className="badge">{t(`editor.starters.${format}`)}</span>}
        <p className="xs dim">{description}</p>
      </div>
    </li>
  );
}

function ReplaceDialog({
  name,
  isBusy,
  replace,
  onClose,
}: {
  name: string;
  isBusy: boolean;
  replace: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const stay = useRef<HTMLButtonElement>(null);
  return (
    <Dialog
      title={t("editor.starters.replaceTitle")}
      lead={t("editor.starters.replaceLead", { name })}
      onClose={onClose}
      initialFocus={stay}
      footer={
        <>
          <Button kind="quiet" ref={stay} onClick={onClose}>
            {t("do.cancel")}
          </Button>
          <Button kind="primary" busy={isBusy} onClick={replace}>
            {t("editor.starters.replace")}
          </Button>
        </>
      }
    />
  );
}

/** Tags without words between them, as an empty page of MJML has them, are nothing that somebody wrote. */
function isWritten({ html, mjml, blocks }: Written): boolean {
  if (blocks !== null) return blocks.blocks.length > 0;
  return (mjml ?? html ?? "").replaceAll(/<[^>]*>|\s/g, "") !== "";
}

const envelopeOf = ({ subject, preview_text }: Written) => ({ subject, preview_text });

function fillEmpty(draft: Written, given: { subject: string; preview_text: string }): Partial<Written> {
  return {
    ...(draft.subject.trim() === "" && { subject: given.subject }),
    ...(!draft.preview_text?.trim() && { preview_text: given.preview_text }),
  };
}
