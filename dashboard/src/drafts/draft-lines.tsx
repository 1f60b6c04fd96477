/** What has to be told about any draft: that an earlier visit kept something, or that somebody else writes too. */
import { CircleAlert, History, type LucideIcon, Users } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ApiError } from "../api/problem.ts";
import { formatTime } from "../i18n/format.ts";
import { Button } from "../kit/button.tsx";
import { useProblemText } from "../kit/forms/problem-note.tsx";
import { Icon } from "../kit/icon.tsx";
import { notify } from "../kit/toasts.tsx";
import { useWho } from "../kit/who.ts";
import type { Editable, Snapshot } from "./draft-state.ts";
import { findKeptDraft, forgetFound, type KeptDraft } from "./kept-draft.ts";

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

type KeptProps<D> = {
  id: string;
  etag: () => string | undefined;
  /** What can't be changed now takes nothing up. What was found stays, since it is looked for once a visit. */
  isHidden: boolean;
  /** Whether what was kept is there already. */
  isSaved: (mine: Partial<D>) => boolean;
  /** The words where the draft was changed since it was kept. */
  older: "composer.lines.keptOlder" | "templates.one.keptOlder" | "automations.one.keptOlder";
  resume: (kept: KeptDraft<D>) => Promise<unknown>;
  keep: () => void;
};

/** What an earlier visit couldn't save. */
export function KeptLine<D>({ id, etag, isHidden, isSaved, older, resume, keep }: KeptProps<D>) {
  const { t } = useTranslation();
  const [kept, setKept] = useState(() => {
    const found = findKeptDraft<D>(id);
    if (!found || !isSaved(found.mine)) return found;
    // A tab that is closed sends what it has, and may not have heard that it arrived.
    forgetFound(found.key);
    return undefined;
  });
  const [openedEtag] = useState(etag);
  if (!kept || isHidden) return null;
  const decide = (act?: () => void) => () => {
    act?.();
    forgetFound(kept.key);
    setKept(undefined);
  };
  const words = kept.etag === openedEtag ? "composer.lines.kept" : older;
  return (
    <Line look="info" icon={History} text={t(words, { time: formatTime(kept.at) })}>
      <Button size="sm" kind="quiet" onClick={decide()}>
        {t("composer.lines.discard")}
      </Button>
      <Button
        size="sm"
        onClick={decide(() => {
          void resume(kept);
          // It is this tab's now, which keeps it where it can't be saved.
          keep();
        })}
      >
        {t("composer.lines.resume")}
      </Button>
    </Line>
  );
}

/** A refusal that is about no field in particular. */
export function RefusedLine({ error }: { error: ApiError }) {
  const { t } = useTranslation();
  const textOf = useProblemText();
  if (error.faults.length > 0) return null;
  return (
    <Line look="danger" icon={CircleAlert} text={t("composer.lines.refused", { text: textOf(error) })} />
  );
}

type Conflicted<T extends Editable, F extends keyof T & string> = Extract<
  Snapshot<T, F>["state"],
  { kind: "conflict" }
>;

type ConflictProps<T extends Editable, F extends keyof T & string> = {
  state: Conflicted<T, F>;
  draft: Pick<T, F>;
  /** The names of the fields that both changed, as one text. */
  fields: string;
  choose: (side: "mine" | "theirs") => Promise<unknown>;
  change: (back: Partial<Pick<T, F>>) => void;
  /** Shows both sides. */
  children: (choice: { keepMine(): Promise<void>; takeTheirs(): Promise<void>; close(): void }) => ReactNode;
};

/** Both changed the same fields, and one side is chosen. */
export function ConflictLine<T extends Editable, F extends keyof T & string>(props: ConflictProps<T, F>) {
  const { state, draft: mine, fields, choose, change, children } = props;
  const { t } = useTranslation();
  const nameOf = useWho();
  const [isShown, setShown] = useState(false);
  const { updated_by, updated_at } = state.theirs.body;
  const close = () => setShown(false);
  const keepMine = async () => {
    close();
    await choose("mine");
  };
  const takeTheirs = async () => {
    close();
    await choose("theirs");
    notify(t("composer.lines.tookTheirs"), {
      label: t("do.undo"),
      run: () =>
        change(
          Object.fromEntries(state.contested.map((field) => [field, mine[field]])) as Partial<Pick<T, F>>,
        ),
    });
  };
  const text = t("composer.lines.conflict", {
    who: nameOf(updated_by),
    time: formatTime(updated_at),
    fields,
  });
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
      {isShown && children({ keepMine, takeTheirs, close })}
    </>
  );
}

type TakenProps = Pick<Snapshot<Editable, never>, "taken"> & { dismiss: () => void };

/** Somebody else changed other fields, or while nothing was typed: it is here already. */
export function TakenLine({ taken, dismiss }: TakenProps) {
  const { t } = useTranslation();
  const nameOf = useWho();
  if (!taken) return null;
  const text = t("composer.lines.taken", { who: nameOf(taken.by), time: formatTime(taken.at) });
  return (
    <Line look="warn" icon={Users} text={text}>
      <Button size="sm" kind="quiet" onClick={dismiss}>
        {t("composer.lines.hide")}
      </Button>
    </Line>
  );
}
