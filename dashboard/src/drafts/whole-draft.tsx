/** What has to be told about a draft whose every field is saved by itself, such as a template or an automation. */
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { formatList } from "../i18n/format.ts";
import { ConflictDialog } from "../kit/forms/conflict.tsx";
import type { DraftFields } from "./draft-fields.ts";
import { ConflictLine, KeptLine, Line, RefusedLine, TakenLine } from "./draft-lines.tsx";
import type { Editable } from "./draft-state.ts";
import type { DraftingOf } from "./drafting.ts";

type Props<T extends Editable, F extends keyof T & string> = {
  id: string;
  drafting: DraftingOf<T, F>;
  fields: DraftFields<T, F>;
  className: string;
  older: "templates.one.keptOlder" | "automations.one.keptOlder";
  nameOf: (field: F) => string;
  /** What is said where it was deleted, and the way back to the others. */
  deleted: string;
  back: ReactNode;
  /** Shows what both sides made of it. */
  children: (theirs: T) => ReactNode;
};

export function WholeDraftLines<T extends Editable, F extends keyof T & string>(props: Props<T, F>) {
  const { id, drafting, fields, className, older } = props;
  const { state, draft, taken, etag, resume, keep, dismissTaken } = drafting;
  return (
    <div className={className}>
      <KeptLine<Pick<T, F>>
        id={id}
        etag={etag}
        isHidden={state.kind === "deleted"}
        isSaved={(mine) => fields.changedFields(draft, { ...draft, ...mine }).length === 0}
        older={older}
        resume={resume}
        keep={keep}
      />
      <StateLine {...props} />
      <TakenLine taken={taken} dismiss={dismissTaken} />
    </div>
  );
}

function StateLine<T extends Editable, F extends keyof T & string>(props: Props<T, F>) {
  const { drafting, nameOf, deleted, back, children } = props;
  const { state, draft, choose, change } = drafting;
  if (state.kind === "conflict")
    return (
      <ConflictLine
        state={state}
        draft={draft}
        fields={formatList(state.contested.map(nameOf))}
        choose={choose}
        change={change}
      >
        {({ keepMine, takeTheirs, close }) => (
          <ConflictDialog
            theirs={state.theirs.body}
            keepMine={keepMine}
            takeTheirs={takeTheirs}
            onClose={close}
          >
            {children(state.theirs.body)}
          </ConflictDialog>
        )}
      </ConflictLine>
    );
  if (state.kind === "refused") return <RefusedLine error={state.error} />;
  if (state.kind !== "deleted") return null;
  return (
    <Line look="danger" icon={CircleAlert} text={deleted}>
      {back}
    </Line>
  );
}
