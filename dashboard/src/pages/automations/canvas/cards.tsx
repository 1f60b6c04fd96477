/** What stands on the canvas: a card for each step and for where everybody begins, a button between any two, and the lines. */
import { type NodeProps, useReactFlow, useStoreApi } from "@xyflow/react";
import { CircleAlert, LogIn } from "lucide-react";
import { createContext, type FocusEvent, type KeyboardEvent, useContext } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../i18n/format.ts";
import { Icon } from "../../../kit/icon.tsx";
import { AddStep } from "../editor/add-step.tsx";
import { useEditing } from "../editor/editing.ts";
import { STEP_ICONS } from "../editor/step-kinds.ts";
import { useStepActs } from "../editor/use-step-acts.ts";
import { sayStep, sayTrigger, sayWay } from "../graph/describe.ts";
import { jsonIn, listIn, typeOf } from "../graph/draft.ts";
import { WayCounts } from "../lifecycle/step-counts.tsx";
import { type Foot, feetOf } from "./feet.ts";
import { CARD_WIDTH, type Drawing, ENTRY, isArrow, neighbourOf, type Spot } from "./layout.ts";
import { peopleOn, widthOfLine } from "./people.ts";

type OnCanvas = {
  readonly drawing: Drawing;
  /** Puts the focus into the panel at the side. */
  readonly enterPanel: () => void;
};
const Context = createContext<OnCanvas | undefined>(undefined);
export const CanvasProvider = Context.Provider;

function useCanvas(): OnCanvas {
  const found = useContext(Context);
  if (!found) throw new Error("there is no canvas around this");
  return found;
}

export function EntryCard() {
  const { t } = useTranslation();
  const { graph, listId, say, counts } = useEditing();
  const triggers = listIn(jsonIn(graph["entry"])["on"]);
  const says = triggers.map((one) => sayTrigger(graph, one, say, say.names.byId[listId])).join(" / ");
  return (
    <CardFrame
      id={ENTRY}
      place="entry"
      look="start"
      icon={LogIn}
      kind={t("canvas.starts")}
      called={says || t("step.trigger.says.nothing")}
      feet={feetOf(graph, ENTRY, counts, t)}
    />
  );
}

export function StepCard({ data }: NodeProps) {
  const { t } = useTranslation();
  const { graph, say, counts } = useEditing();
  const id = String(data["id"]);
  const type = typeOf(graph.nodes[id]) ?? "unknown";
  return (
    <CardFrame
      id={id}
      place={`step:${id}`}
      look={type}
      icon={STEP_ICONS[type]}
      kind={t(`step.kinds.${type}`)}
      called={sayStep(graph, id, say)}
      feet={feetOf(graph, id, counts, t)}
    />
  );
}

type FrameProps = {
  id: string;
  place: "entry" | `step:${string}`;
  look: string;
  icon: typeof LogIn;
  kind: string;
  called: string;
  feet: readonly Foot[];
};

function CardFrame({ id, place, look, icon, kind, called, feet }: FrameProps) {
  const { t } = useTranslation();
  const { graph, open, show, faults } = useEditing();
  const { drawing, enterPanel } = useCanvas();
  const { onKeyDown } = useStepActs();
  const bringIntoView = useBringIntoView(id);
  const wrong = faults.get(place)?.length ?? 0;
  const isOpen = open === place;
  const keys = (event: KeyboardEvent) => {
    if (place !== "entry") onKeyDown(id)(event);
    if (event.defaultPrevented || event.altKey || !isArrow(event.key)) return;
    event.preventDefault();
    focusCard(neighbourOf(graph, drawing, id, event.key));
  };
  return (
    <div
      className={`canvas-card step-${look}${isOpen ? " on" : ""}`}
      data-step={place === "entry" ? place : id}
    >
      <div className="step-row">
        <button
          type="button"
          className="step-head"
          data-card={id}
          aria-pressed={isOpen}
          onClick={() => {
            show(place);
            enterPanel();
          }}
          onKeyDown={keys}
          onFocus={bringIntoView}
        >
          <span className="step-icon">
            <Icon of={icon} />
          </span>
          <span className="step-words">
            <span className="xs dim">{kind}</span>
            <span className="med trunc" dir="auto" title={called}>
              {called}
            </span>
          </span>
          {wrong > 0 && (
            <span
              className="c-danger"
              role="img"
              aria-label={t("canvas.faults", { count: wrong, number: formatNumber(wrong) })}
            >
              <Icon of={CircleAlert} size="sm" />
            </span>
          )}
        </button>
      </div>
      {feet.length > 0 && (
        <div className="canvas-foot">
          {feet.map((foot) => (
            <FootText key={foot.text} {...foot} />
          ))}
        </div>
      )}
    </div>
  );
}

function FootText({ text, number }: Foot) {
  const [before, after] = text.split(number, 2);
  return (
    <span>
      {before}
      <b>{number}</b>
      {after}
    </span>
  );
}

function focusCard(id: string | undefined): void {
  if (id !== undefined)
    document.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

const MARGIN = 16;

/** Moves the canvas where what gets the focus by a key isn't seen whole. */
function useBringIntoView(id: string) {
  const flow = useReactFlow();
  const store = useStoreApi();
  const { drawing } = useCanvas();
  return ({ target }: FocusEvent) => {
    const card = drawing.items.find((one) => one.kind === "card" && one.id === id);
    if (!card || !target.matches(":focus-visible")) return;
    const { width, height } = store.getState();
    const { x, y, zoom } = flow.getViewport();
    const left = (card.x - CARD_WIDTH / 2) * zoom + x;
    const top = card.y * zoom + y;
    const isSeen =
      left >= MARGIN && top >= MARGIN && left + CARD_WIDTH * zoom <= width && top + 80 * zoom <= height - 60;
    if (!isSeen) void flow.setCenter(card.x, card.y + 40, { zoom });
  };
}

export function SpotButton({ data }: NodeProps) {
  const { t } = useTranslation();
  const { graph, say } = useEditing();
  const { gap, way, after, leadsNowhere } = data["spot"] as Spot;
  const name = way?.node ? sayWay(graph.nodes[way.node] ?? {}, way.key, say) : undefined;
  const label =
    name !== undefined
      ? t("automations.outline.addIn", { way: name })
      : after === undefined
        ? t("automations.outline.addFirst")
        : gap.slots.length > 1
          ? t("canvas.addMeet", { step: sayStep(graph, after, say) })
          : t("automations.outline.addAfter", { step: sayStep(graph, after, say) });
  return (
    <div className="canvas-spot">
      {way?.node && (
        <span className="canvas-way" dir="auto">
          <span className="trunc" title={name}>
            {name}
          </span>
          <WayCounts id={way.node} way={way.key} brief />
        </span>
      )}
      <AddStep gap={gap} label={label} isSmall />
      {leadsNowhere && <span className="canvas-way c-danger">{t("automations.outline.nowhere")}</span>}
    </div>
  );
}

export function ApartTitle() {
  const { t } = useTranslation();
  return <div className="canvas-apart sm mid">{t("automations.outline.apart")}</div>;
}

/** The lines say nothing that the cards and the names of the ways don't, so nobody is read them. */
export function Lines() {
  const { counts } = useEditing();
  const { drawing } = useCanvas();
  const people = drawing.lines.map(({ slots }) => peopleOn(slots, counts));
  const most = Math.max(0, ...people.map((one) => one ?? 0));
  return (
    <svg className="canvas-lines" width={drawing.width} height={drawing.height} aria-hidden="true">
      <defs>
        <marker
          id="canvas-arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          markerUnits="userSpaceOnUse"
          orient="auto"
        >
          <path d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      {drawing.lines.map(({ path, slots, isLink }, at) => (
        <path
          key={slots.map(({ node, key }) => `${node}/${key}`).join(" ") + path}
          d={path}
          className={people[at] ? "taken" : undefined}
          strokeWidth={widthOfLine(people[at], most)}
          markerEnd={isLink ? "url(#canvas-arrow)" : undefined}
        />
      ))}
    </svg>
  );
}
