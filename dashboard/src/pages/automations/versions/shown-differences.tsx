/** The differences of two versions in plain words, step by step. */
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { STEP_ICONS } from "../editor/step-kinds.ts";
import { useAutomationSay } from "../editor/use-names.ts";
import { sayDays, sayExit, sayRule, sayStep, sayTrigger, sayWay } from "../graph/describe.ts";
import { type Graph, jsonIn, listIn, textIn, typeOf } from "../graph/draft.ts";
import { differencesOf, isNone, type Section, type StepDifference } from "./differences.ts";

type Props = { before: Graph; after: Graph; listId: string };

const LOOKS = { added: "badge accent", removed: "badge danger", changed: "badge warn" } as const;

export function ShownDifferences({ before, after, listId }: Props) {
  const { t } = useTranslation();
  const found = differencesOf(before, after);
  // What is named in either of them.
  const say = useAutomationSay({ ...after, nodes: { ...before.nodes, ...after.nodes } });
  if (isNone(found)) return <p className="mid">{t("versions.same")}</p>;
  const count = found.sections.length + found.steps.length + (found.begins ? 1 : 0);
  const nameOf = (graph: Graph, id: string) =>
    Object.hasOwn(graph.nodes, id) ? sayStep(graph, id, say) : t("versions.nowhere");
  return (
    <>
      <p className="mid" role="status">
        {t("versions.changes", { count, number: formatNumber(count) })}
      </p>
      <ul className="differences">
        {found.sections.map((section) => (
          <li key={section}>
            <p className="row wrap">
              <span className={LOOKS.changed}>{t("versions.changed")}</span>
              <b>{t(`versions.sections.${section}`)}</b>
            </p>
            <Pair before={saySection(before, section)} after={saySection(after, section)} />
          </li>
        ))}
        {found.begins && (
          <li>
            {t("versions.begins", {
              before: nameOf(before, found.begins.before),
              after: nameOf(after, found.begins.after),
            })}
          </li>
        )}
        {found.steps.map((step) => (
          <StepItem key={step.id} step={step} />
        ))}
      </ul>
    </>
  );

  function StepItem({ step: { id, kind, parts, led } }: { step: StepDifference }) {
    const graph = kind === "removed" ? before : after;
    const type = typeOf(graph.nodes[id]) ?? "unknown";
    const [was, is] = [nameOf(before, id), nameOf(after, id)];
    // The subject of a mail and what a wait does are in what the step is called.
    const rest = was === is ? parts : parts.filter((one) => !["subject", "title", "does"].includes(one));
    return (
      <li>
        <p className="row wrap">
          <span className={LOOKS[kind]}>{t(`versions.${kind}`)}</span>
          <Icon of={STEP_ICONS[type]} size="sm" />
          <span className="dim">{t(`step.kinds.${type}`)}</span>
          <b dir="auto">{kind === "removed" ? was : is}</b>
        </p>
        {kind === "changed" && (
          <>
            {was !== is && <Pair before={was} after={is} />}
            <ul className="sm" hidden={rest.length + led.length === 0}>
              {rest.map((part) => (
                <li key={part}>{t(`versions.parts.${part}`)}</li>
              ))}
              {led.map(({ key, ...ends }) => {
                const names = { before: nameOf(before, ends.before), after: nameOf(after, ends.after) };
                const way = key === undefined ? "" : sayWay(after.nodes[id] ?? {}, key, say);
                return (
                  <li key={key ?? "next"} dir="auto">
                    {key === undefined ? t("versions.led", names) : t("versions.ledWay", { way, ...names })}
                  </li>
                );
              })}
            </ul>
          </>
        )}
      </li>
    );
  }

  function saySection(graph: Graph, section: Section): string {
    const value = graph[section];
    if (section === "exit")
      return (
        listIn(value)
          .map((one) => sayExit(graph, one, say))
          .join(" / ") || t("step.exits.says.none")
      );
    const part = jsonIn(value);
    if (section === "send") {
      const hours = (key: string) => {
        const { from, to } = jsonIn(part[key]);
        return { from: textIn(from), to: textIn(to) };
      };
      const days = sayDays(part["weekdays"], say);
      const said = [
        ...(part["window"] ? [t("step.send.says.window", hours("window"))] : []),
        ...(part["quiet"] ? [t("step.send.says.quiet", hours("quiet"))] : []),
        ...(days === undefined ? [] : [t("step.send.says.days", { days })]),
      ];
      return said.join(", ") || t("step.send.says.any");
    }
    const rule = sayRule(part["filter"], say);
    const triggers = listIn(part["on"]).map((one) => sayTrigger(graph, one, say, say.names.byId[listId]));
    const mode = jsonIn(part["reentry"])["mode"];
    const days = Number(jsonIn(part["reentry"])["days"]) || 0;
    return [
      triggers.join(" / ") || t("step.trigger.says.nothing"),
      ...(rule === undefined ? [] : [t("step.entry.says.filter", { rule })]),
      mode === "after"
        ? t("step.entry.says.after", { count: days, number: formatNumber(days) })
        : t(mode === "every_time" ? "step.entry.says.every_time" : "step.entry.says.once"),
      ...(textIn(part["key"]) === "" ? [] : [t("step.entry.says.key", { key: textIn(part["key"]) })]),
    ].join(" ");
  }
}

function Pair({ before, after }: { before: string; after: string }) {
  const { t } = useTranslation();
  return (
    <div className="sm difference-pair" dir="auto">
      <del>{t("versions.was", { text: before || t("versions.nothing") })}</del>
      <ins>{t("versions.is", { text: after || t("versions.nothing") })}</ins>
    </div>
  );
}
