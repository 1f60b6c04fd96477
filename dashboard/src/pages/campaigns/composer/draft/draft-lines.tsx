/** What has to be told about the draft of a campaign, below the bar. */
import { Link } from "@tanstack/react-router";
import { CalendarClock, CircleAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ConflictLine, KeptLine, Line, RefusedLine, TakenLine } from "../../../../drafts/draft-lines.tsx";
import { formatList, formatWhen } from "../../../../i18n/format.ts";
import { CAMPAIGN_FIELDS, type Draft } from "./draft.ts";
import { DraftConflict } from "./draft-conflict.tsx";
import type { Drafting } from "./use-draft.ts";

export function DraftLines({ drafting }: { drafting: Drafting }) {
  const { state, draft, taken, etag, resume, keep, dismissTaken } = drafting;
  return (
    <div className="composer-lines">
      <KeptLine<Draft>
        id={drafting.campaign.id}
        etag={etag}
        isHidden={state.kind === "locked" || state.kind === "deleted"}
        isSaved={(mine) => CAMPAIGN_FIELDS.changedFields(draft, { ...draft, ...mine }).length === 0}
        older="composer.lines.keptOlder"
        resume={resume}
        keep={keep}
      />
      <StateLine drafting={drafting} />
      <TakenLine taken={taken} dismiss={dismissTaken} />
      <ScheduleLine drafting={drafting} />
    </div>
  );
}

function StateLine({ drafting }: { drafting: Drafting }) {
  const { t } = useTranslation();
  const { state, campaign, draft, choose, change } = drafting;
  if (state.kind === "conflict")
    return (
      <ConflictLine
        state={state}
        draft={draft}
        fields={formatList(state.contested.map((field) => t(`composer.fields.${field}`)))}
        choose={choose}
        change={change}
      >
        {({ keepMine, takeTheirs, close }) => (
          <DraftConflict
            state={state}
            draft={draft}
            keepMine={() => void keepMine()}
            takeTheirs={() => void takeTheirs()}
            onClose={close}
          />
        )}
      </ConflictLine>
    );
  if (state.kind === "refused") return <RefusedLine error={state.error} />;
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
