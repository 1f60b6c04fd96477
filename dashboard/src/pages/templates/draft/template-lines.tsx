/** What has to be told about the draft, below the bar: that somebody else writes too, or that something is kept here. */
import { Link } from "@tanstack/react-router";
import { CircleAlert, History, Users } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { findKeptDraft, forgetFound } from "../../../drafts/kept-draft.ts";
import { formatList, formatTime } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { ConflictDialog } from "../../../kit/forms/conflict.tsx";
import { useProblemText } from "../../../kit/forms/problem-note.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useWho } from "../../../kit/who.ts";
import { Line } from "../../campaigns/composer/draft/draft-lines.tsx";
import { ContentDiff } from "../versions/content-diff.tsx";
import { TEMPLATE_FIELDS, type TemplateDraft, type TemplateDrafting } from "./use-template.ts";

export function TemplateLines({ drafting }: { drafting: TemplateDrafting }) {
  return (
    <div className="composer-lines">
      <KeptLine drafting={drafting} />
      <StateLine drafting={drafting} />
      <TakenLine drafting={drafting} />
    </div>
  );
}

/** What an earlier visit couldn't save. */
function KeptLine({ drafting }: { drafting: TemplateDrafting }) {
  const { t } = useTranslation();
  const { id } = drafting.template;
  const [kept, setKept] = useState(() => {
    const found = findKeptDraft<TemplateDraft>(id);
    const { draft } = drafting;
    // A tab that is closed sends what it has, and may not have heard that it arrived.
    const isSaved = found && TEMPLATE_FIELDS.changedFields(draft, { ...draft, ...found.mine }).length === 0;
    if (isSaved) forgetFound(found.key);
    return isSaved ? undefined : found;
  });
  const [openedEtag] = useState(drafting.etag);
  if (!kept || drafting.state.kind === "deleted") return null;
  const time = formatTime(kept.at);
  const words = kept.etag === openedEtag ? "composer.lines.kept" : "templates.one.keptOlder";
  return (
    <Line look="info" icon={History} text={t(words, { time })}>
      <Button
        size="sm"
        kind="quiet"
        onClick={() => {
          forgetFound(kept.key);
          setKept(undefined);
        }}
      >
        {t("composer.lines.discard")}
      </Button>
      <Button
        size="sm"
        onClick={() => {
          void drafting.resume(kept);
          // It is this tab's now, which keeps it where it can't be saved.
          drafting.keep();
          forgetFound(kept.key);
          setKept(undefined);
        }}
      >
        {t("composer.lines.resume")}
      </Button>
    </Line>
  );
}

function StateLine({ drafting }: { drafting: TemplateDrafting }) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const { state } = drafting;
  if (state.kind === "conflict") return <ConflictLine drafting={drafting} state={state} />;
  if (state.kind === "refused" && state.error.faults.length === 0)
    return (
      <Line
        look="danger"
        icon={CircleAlert}
        text={t("composer.lines.refused", { text: textOf(state.error) })}
      />
    );
  if (state.kind !== "deleted") return null;
  return (
    <Line look="danger" icon={CircleAlert} text={t("templates.one.deleted")}>
      <Link className="btn btn-sm" to="/templates">
        {t("templates.one.back")}
      </Link>
    </Line>
  );
}

type Conflicted = Extract<TemplateDrafting["state"], { kind: "conflict" }>;

function ConflictLine({ drafting, state }: { drafting: TemplateDrafting; state: Conflicted }) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const [isShown, setShown] = useState(false);
  const { body: theirs } = state.theirs;
  const fields = formatList(state.contested.map((field) => t(`templates.fields.${field}`)));
  const text = t("composer.lines.conflict", {
    who: nameOf(theirs.updated_by),
    time: formatTime(theirs.updated_at),
    fields,
  });
  const keepMine = async () => {
    setShown(false);
    await drafting.choose("mine");
  };
  const takeTheirs = async () => {
    const mine = drafting.draft;
    setShown(false);
    await drafting.choose("theirs");
    notify(t("composer.lines.tookTheirs"), {
      label: t("do.undo"),
      run: () => drafting.change(Object.fromEntries(state.contested.map((field) => [field, mine[field]]))),
    });
  };
  return (
    <>
      <Line look="warn" icon={Users} text={text}>
        <Button size="sm" onClick={() => setShown(true)}>
          {t("composer.lines.showBoth")}
        </Button>
        <Button size="sm" onClick={() => void keepMine()}>
          {t("composer.lines.keepMine")}
        </Button>
        <Button size="sm" onClick={() => void takeTheirs()}>
          {t("composer.lines.takeTheirs")}
        </Button>
      </Line>
      {isShown && (
        <ConflictDialog
          theirs={theirs}
          keepMine={keepMine}
          takeTheirs={takeTheirs}
          onClose={() => setShown(false)}
        >
          <ContentDiff before={theirs} after={drafting.draft} />
        </ConflictDialog>
      )}
    </>
  );
}

/** Somebody else changed other fields, or while nothing was typed: it is here already. */
function TakenLine({ drafting: { taken, dismissTaken } }: { drafting: TemplateDrafting }) {
  const { t } = useTranslation();
  const nameOf = useWho();
  if (!taken) return null;
  const text = t("composer.lines.taken", { who: nameOf(taken.by), time: formatTime(taken.at) });
  return (
    <Line look="warn" icon={Users} text={text}>
      <Button size="sm" kind="quiet" onClick={dismissTaken}>
        {t("composer.lines.hide")}
      </Button>
    </Line>
  );
}
