/** Publishes the draft as a new version, and says before whom that concerns. */
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { call } from "../../../api/client.ts";
import type { AutomationPublication, AutomationPublishInput } from "../../../api/openapi.ts";
import { type ApiError, asApiError } from "../../../api/problem.ts";
import { formatList, formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { SelectField } from "../../../kit/forms/field.tsx";
import { ProblemNote } from "../../../kit/forms/problem-note.tsx";
import { Dialog } from "../../../kit/overlays/dialog.tsx";
import { notify } from "../../../kit/toasts.tsx";
import { useEditing } from "../editor/editing.ts";
import type { AutomationDrafting } from "../editor/use-automation.ts";
import { useAutomationSay } from "../editor/use-names.ts";
import { sayStep } from "../graph/describe.ts";
import { allSteps } from "../graph/outline.ts";
import { SandboxNote } from "./sandbox-note.tsx";
import { useLifecycle } from "./use-lifecycle.ts";
import { useLiveVersion } from "./use-live-version.ts";

type Choices = Required<Pick<AutomationPublishInput, "people" | "waits" | "mapping">>;

type NodesInUse = AutomationPublication["nodes_in_use"];

/** The service names no step any more for which it was said where people go on; here it stays, to be changed. */
const withMore = (before: NodesInUse, more: NodesInUse): NodesInUse => [
  ...new Map([...before, ...more].map((one) => [one.node, one])).values(),
];

export function Publish({ drafting, onClose }: { drafting: AutomationDrafting; onClose: () => void }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { reread } = useLifecycle(drafting);
  const { graph, outline, say } = useEditing();
  const nameOf = useStepName(drafting);
  const { automation, save, etag } = drafting;
  const path = { id: automation.id };
  const [choices, setChoices] = useState<Choices>({ people: "follow", waits: "recount", mapping: {} });
  const [found, setFound] = useState<AutomationPublication>();
  const [inUse, setInUse] = useState<NodesInUse>([]);
  const [error, setError] = useState<ApiError>();
  const [busy, setBusy] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked anew for other choices alone.
  useEffect(() => {
    let isOver = false;
    const ask = async () => {
      try {
        await save();
        const body = { ...choices, dry_run: true };
        const answer = await call("POST /v1/automations/{id}/publish", { path, body });
        if (isOver) return;
        setFound(answer);
        setInUse((before) => withMore(before, answer.nodes_in_use));
        setError(undefined);
      } catch (thrown) {
        if (!isOver) setError(asApiError(thrown));
      }
    };
    void ask();
    return () => {
      isOver = true;
    };
  }, [choices]);
  const publish = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const done = await call("POST /v1/automations/{id}/publish", { path, body: choices, ifMatch: etag() });
      await reread();
      void queries.invalidateQueries({ queryKey: ["automations"] });
      const said = done.unchanged ? "lifecycle.publish.unchanged" : "lifecycle.publish.done";
      notify(t(said, { number: formatNumber(done.version) }));
      onClose();
    } catch (thrown) {
      setError(asApiError(thrown));
      setBusy(false);
    }
  };
  const number = formatNumber(found?.version ?? (automation.live_version ?? 0) + 1);
  const choose = <K extends keyof Choices>(key: K, value: Choices[K]) =>
    setChoices({ ...choices, [key]: value });
  const targets = [
    { value: "", label: "…" },
    ...allSteps(outline).map(({ id }) => ({ value: id, label: sayStep(graph, id, say) })),
  ];
  const isPeopled = (found?.people.inside ?? 0) > 0;
  return (
    <Dialog
      title={t("lifecycle.publish.title", { number })}
      onClose={onClose}
      footer={
        <>
          <Button kind="quiet" onClick={onClose}>
            {t("do.cancel")}
          </Button>
          <Button kind="primary" busy={busy} disabled={!found} onClick={() => void publish()}>
            {t("lifecycle.publish.confirm", { number })}
          </Button>
        </>
      }
    >
      <div className="stack" role="status">
        {found ? (
          <Concerned found={found} nameOf={nameOf} />
        ) : (
          !error && <p className="mid">{t("lifecycle.publish.asking")}</p>
        )}
        {found?.sandbox && <SandboxNote of="would" />}
      </div>
      {isPeopled && (
        <div className="two">
          <SelectField
            name="people"
            label={t("lifecycle.publish.people")}
            hint={t(`lifecycle.publish.${choices.people}Hint`)}
            value={choices.people}
            options={(["follow", "stay"] as const).map((value) => ({
              value,
              label: t(`lifecycle.publish.${value}`),
            }))}
            onChange={({ target }) => choose("people", target.value as Choices["people"])}
          />
          {choices.people === "follow" && found && found.steps.waits.length > 0 && (
            <SelectField
              name="waits"
              label={t("lifecycle.publish.waits")}
              hint={t(`lifecycle.publish.${choices.waits}Hint`)}
              value={choices.waits}
              options={(["recount", "keep"] as const).map((value) => ({
                value,
                label: t(`lifecycle.publish.${value}`),
              }))}
              onChange={({ target }) => choose("waits", target.value as Choices["waits"])}
            />
          )}
        </div>
      )}
      {choices.people === "follow" &&
        inUse.map(({ node, people }) => (
          <SelectField
            key={node}
            name={`mapping-${node}`}
            label={t("lifecycle.publish.inUse", {
              count: people,
              number: formatNumber(people),
              step: nameOf(node),
            })}
            value={choices.mapping[node] ?? ""}
            options={targets}
            onChange={({ target }) => choose("mapping", { ...choices.mapping, [node]: target.value })}
          />
        ))}
      {error && <ProblemNote error={error} />}
    </Dialog>
  );
}

/** What a step is called in the outline. One that is gone from the draft has the name that it has in the version that runs. */
function useStepName(drafting: AutomationDrafting): (id: string) => string {
  const { graph, say } = useEditing();
  const live = useLiveVersion(drafting).graph;
  const sayGone = useAutomationSay(live);
  return (id) => (graph.nodes[id] ? sayStep(graph, id, say) : sayStep(live, id, sayGone));
}

type ConcernedProps = { found: AutomationPublication; nameOf: (id: string) => string };

/** “412 people are in it now. 118 become due now.” */
function Concerned({ found: { people, steps }, nameOf }: ConcernedProps) {
  const { t } = useTranslation();
  const { inside, due_now: due, due_now_is_exact: isExact } = people;
  if (inside === 0) return <p>{t("lifecycle.publish.nobody")}</p>;
  const words = { count: due, number: formatNumber(due) };
  return (
    <div className="stack">
      <p>
        <b>{t("lifecycle.publish.inside", { count: inside, number: formatNumber(inside) })}</b>{" "}
        {due === 0
          ? t("lifecycle.publish.dueNone")
          : t(isExact ? "lifecycle.publish.dueNow" : "lifecycle.publish.dueNowAbout", words)}
      </p>
      <ul className="sm mid">
        {(["added", "removed", "changed"] as const)
          .filter((what) => steps[what].length > 0)
          .map((what) => (
            <li key={what}>
              {t(`lifecycle.publish.changes.${what}`, { steps: formatList(steps[what].map(nameOf)) })}
            </li>
          ))}
      </ul>
    </div>
  );
}
