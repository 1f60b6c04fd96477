/** What has to be told about the draft, below the bar: that somebody else writes too, or that something is kept here. */
import { Link } from "@tanstack/react-router";
import { CalendarClock, CircleAlert, History, type LucideIcon, Users } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { findKeptDraft, forgetFound } from "../../../../drafts/kept-draft.ts";
import { formatList, formatTime, formatWhen } from "../../../../i18n/format.ts";
import { Button } from "../../../../kit/button.tsx";
import { useProblemText } from "../../../../kit/forms/problem-note.tsx";
import { Icon } from "../../../../kit/icon.tsx";
import { notify } from "../../../../kit/toasts.tsx";
import { useWho } from "../../../../kit/who.ts";
import { CAMPAIGN_FIELDS, type Draft } from "./draft.ts";
import { DraftConflict } from "./draft-conflict.tsx";
import type { Drafting } from "./use-draft.ts";

export function DraftLines({ drafting }: { drafting: Drafting }) {
  return (
    <div className="composer-lines">
      <KeptLine drafting={drafting} />
      <StateLine drafting={drafting} />
      <TakenLine drafting={drafting} />
      <ScheduleLine drafting={drafting} />
    </div>
  );
}

type LineProps = { look: "info" | "warn" | "danger"; icon: LucideIcon; text: string; children?: ReactNode };

export function Line({ look, icon, text, children }: LineProps) {
  return (
    <div className={`note ${look} composer-line`} role="status">
      <Icon of={icon} />
      <span className="grow break">{text}</span>
      <span className="row wrap">{children}</span>
    </div>
  );
}

/** What an earlier visit couldn't save. */
function KeptLine({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const { id } = drafting.campaign;
  const [kept, setKept] = useState(() => {
    const found = findKeptDraft<Draft>(id);
    // A tab that is closed sends what it has, and may not have heard that it arrived.
    const isSaved =
      found &&
      CAMPAIGN_FIELDS.changedFields(drafting.draft, { ...drafting.draft, ...found.mine }).length === 0;
    if (isSaved) forgetFound(found.key);
    return isSaved ? undefined : found;
  });
  const [openedEtag] = useState(drafting.etag);
  if (!kept || drafting.state.kind === "locked" || drafting.state.kind === "deleted") return null;
  const time = formatTime(kept.at);
  const isOlder = kept.etag !== openedEtag;
  return (
    <Line
      look="info"
      icon={History}
      text={isOlder ? t("composer.lines.keptOlder", { time }) : t("composer.lines.kept", { time })}
    >
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

function StateLine({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  const { state, campaign } = drafting;
  if (state.kind === "conflict") return <ConflictLine drafting={drafting} state={state} />;
  if (state.kind === "refused" && state.error.faults.length === 0)
    return (
      <Line
        look="danger"
        icon={CircleAlert}
        text={t("composer.lines.refused", { text: textOf(state.error) })}
      />
    );
  if (state.kind === "deleted")
    return (
      <Line look="danger" icon={CircleAlert} text={t("composer.lines.deleted")}>
        <Link className="btn btn-sm" to="/campaigns">
          {t("composer.toCampaigns")}
        </Link>
      </Line>
    );
  if (state.kind !== "locked") return null;
  return (
    <Line
      look="warn"
      icon={CircleAlert}
      text={drafting.isUnsaved() ? t("composer.lines.locked") : t("composer.lines.lockedAlready")}
    >
      <Link className="btn btn-sm" to="/campaigns/$id" params={{ id: campaign.id }}>
        {t("composer.lines.seeIt")}
      </Link>
    </Line>
  );
}

type Conflicted = Extract<Drafting["state"], { kind: "conflict" }>;

function ConflictLine({ drafting, state }: { drafting: Drafting; state: Conflicted }) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const [isShown, setShown] = useState(false);
  const { updated_by, updated_at } = state.theirs.body;
  const fields = formatList(state.contested.map((field) => t(`composer.fields.${field}`)));
  const text = t("composer.lines.conflict", {
    who: nameOf(updated_by),
    time: formatTime(updated_at),
    fields,
  });
  const takeTheirs = async () => {
    const mine = drafting.draft;
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
        <Button size="sm" onClick={() => void drafting.choose("mine")}>
          {t("composer.lines.keepMine")}
        </Button>
        <Button size="sm" onClick={() => void takeTheirs()}>
          {t("composer.lines.takeTheirs")}
        </Button>
      </Line>
      {isShown && (
        <DraftConflict
          state={state}
          draft={drafting.draft}
          keepMine={() => void drafting.choose("mine")}
          takeTheirs={() => void takeTheirs()}
          onClose={() => setShown(false)}
        />
      )}
    </>
  );
}

/** Somebody else changed other fields, or while nothing was typed: it is here already. */
function TakenLine({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const nameOf = useWho();
  const { taken } = drafting;
  if (!taken) return null;
  const text = t("composer.lines.taken", { who: nameOf(taken.by), time: formatTime(taken.at) });
  return (
    <Line look="warn" icon={Users} text={text}>
      <Button size="sm" kind="quiet" onClick={drafting.dismissTaken}>
        {t("composer.lines.hide")}
      </Button>
    </Line>
  );
}

function ScheduleLine({ drafting: { campaign } }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const [first] = useState(campaign.status);
  const { status, send_at, id } = campaign;
  if (status !== "scheduled" || send_at === null) return null;
  const key = first === "scheduled" ? "scheduled" : "nowScheduled";
  return (
    <Line look="info" icon={CalendarClock} text={t(`composer.lines.${key}`, { time: formatWhen(send_at) })}>
      <Link className="btn btn-sm" to="/campaigns/$id" params={{ id }}>
        {t("composer.lines.seeIt")}
      </Link>
    </Line>
  );
}
