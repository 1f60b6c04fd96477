/** One row for each run, and what can be done about it. */
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LogOut, MoveRight, ScrollText, SkipForward } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { AutomationRunSummary } from "../../../api/openapi.ts";
import { formatExact, formatWhen } from "../../../i18n/format.ts";
import { SelectField } from "../../../kit/forms/field.tsx";
import { ConfirmDialog, FormDialog } from "../../../kit/overlays/dialog.tsx";
import { RowMenu } from "../../../kit/tables/row-menu.tsx";
import { Time } from "../../../kit/time.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useAct } from "../../../kit/use-act.ts";
import { typeOf } from "../graph/draft.ts";
import type { LiveSteps } from "./use-live-steps.ts";
import { usePerson } from "./use-person.ts";
import { useSayEnd } from "./use-say-end.ts";

type Props = {
  runs: readonly AutomationRunSummary[];
  steps: LiveSteps;
  status: AutomationRunSummary["status"];
  onJournal: (id: string) => void;
};

export function RunTable({ runs, steps, status, onJournal }: Props) {
  const { t } = useTranslation();
  const isInside = status === "active";
  return (
    <div className="tw">
      <table className="table-edge stacked tall">
        <thead>
          <tr>
            <th>{t("runs.person")}</th>
            <th>{isInside ? t("runs.stands") : t("runs.endedAt")}</th>
            <th>{isInside ? t("runs.since") : t("runs.as")}</th>
            <th>{isInside ? t("runs.next") : t("runs.ended")}</th>
            <th>{t("runs.entered")}</th>
            <th>
              <span className="sr">{t("do.more")}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} steps={steps} onJournal={() => onJournal(run.id)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RunRow({
  run,
  steps,
  onJournal,
}: {
  run: AutomationRunSummary;
  steps: LiveSteps;
  onJournal: () => void;
}) {
  const { t } = useTranslation();
  const sayEnd = useSayEnd();
  const { name = "…", isGone } = usePerson(run.subscriber_id);
  const isInside = run.status === "active";
  return (
    <tr>
      <td className="c-main">
        <span className="stack tight">
          {isGone ? (
            <span className="dim">{name}</span>
          ) : (
            <Link
              to="/subscribers/$id"
              params={{ id: run.subscriber_id }}
              className="med cell-text"
              dir="auto"
            >
              {name}
            </Link>
          )}
          {run.key !== "" && (
            <span className="xs dim cell-text" dir="auto">
              {t("runs.key", { key: run.key })}
            </span>
          )}
        </span>
      </td>
      <td data-label={isInside ? t("runs.stands") : t("runs.endedAt")}>
        <span className="cell-text" dir="auto">
          {steps.nameOf(run.node)}
        </span>
      </td>
      <td className="mid" data-label={isInside ? t("runs.since") : t("runs.as")}>
        {isInside ? <Time at={run.arrived_at} /> : sayEnd(run.ended_as)}
      </td>
      <td data-label={isInside ? t("runs.next") : t("runs.ended")}>
        <NextTime run={run} />
      </td>
      <td className="dim" data-label={t("runs.entered")}>
        <Time at={run.created_at} />
      </td>
      <td className="r c-menu">
        <RunMenu run={run} name={name} steps={steps} onJournal={onJournal} />
      </td>
    </tr>
  );
}

function NextTime({ run: { ended_at: ended, due_at: due } }: { run: AutomationRunSummary }) {
  const { t } = useTranslation();
  if (ended !== null) return <Time at={ended} />;
  if (due === null) return null;
  return new Date(due).getTime() <= Date.now() ? (
    t("runs.dueNow")
  ) : (
    <time dateTime={due} title={formatExact(due)}>
      {formatWhen(due)}
    </time>
  );
}

type MenuProps = { run: AutomationRunSummary; name: string; steps: LiveSteps; onJournal: () => void };

function RunMenu({ run, name, steps, onJournal }: MenuProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [asked, setAsked] = useState<"move" | "exit">();
  const path = { id: run.id };
  const close = () => setAsked(undefined);
  const told = (key: "skipped" | "moved" | "exited") => {
    notify(t(`runs.${key}`, { name }));
    void queries.invalidateQueries({ queryKey: ["automations"] });
    void queries.invalidateQueries({ queryKey: ["automation_runs"] });
  };
  const skip = useAct(async () => {
    await call("POST /v1/automation_runs/{id}/skip_wait", { path });
    told("skipped");
  });
  const needs = "automations:send" as const;
  const type = typeOf(steps.graph.nodes[run.node]);
  const isInside = run.status === "active";
  return (
    <>
      <RowMenu
        name={name}
        items={[
          { label: t("runs.journal"), icon: ScrollText, run: onJournal },
          ...(isInside && (type === "wait" || type === "wait_for")
            ? [{ label: t("runs.skip"), icon: SkipForward, needs, run: skip.run }]
            : []),
          ...(isInside
            ? [
                { label: t("runs.move"), icon: MoveRight, needs, run: () => setAsked("move") },
                { label: t("runs.exit"), icon: LogOut, danger: true, needs, run: () => setAsked("exit") },
              ]
            : []),
        ]}
      />
      {asked === "move" && (
        <FormDialog
          title={t("runs.moveTitle", { name })}
          lead={t("runs.moveLead")}
          action={t("runs.moveAction")}
          onClose={close}
          submit={async (values) => {
            await call("POST /v1/automation_runs/{id}/move", { path, body: { node: values.text("node") } });
            told("moved");
            close();
          }}
        >
          <SelectField
            name="node"
            label={t("runs.moveTo")}
            options={steps.ids
              .filter((id) => id !== run.node)
              .map((value) => ({ value, label: steps.nameOf(value) }))}
          />
        </FormDialog>
      )}
      {asked === "exit" && (
        <ConfirmDialog
          title={t("runs.exitTitle", { name })}
          lead={t("runs.exitLead")}
          action={t("runs.exitAction")}
          onClose={close}
          confirm={async () => {
            await call("POST /v1/automation_runs/{id}/exit", { path });
            told("exited");
          }}
        />
      )}
    </>
  );
}
