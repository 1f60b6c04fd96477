/** The automation drawn: cards from the top to the bottom by an automatic layout, lines as wide as the people who took them. */
import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { type Node, ReactFlow, type ReactFlowInstance, ReactFlowProvider } from "@xyflow/react";
import { useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useEditing } from "../editor/editing.ts";
import { ApartTitle, CanvasProvider, EntryCard, Lines, SpotButton, StepCard } from "./cards.tsx";
import { Controls } from "./controls.tsx";
import { feetOf } from "./feet.ts";
import { CARD_WIDTH, type Drawing, ENTRY, layOut } from "./layout.ts";
import { Panel } from "./panel.tsx";

const HEAD_HEIGHT = 51;
const FOOT_HEIGHT = 28;
const SPOT = { width: 220, height: 60 };
const MARGIN = 24;
const LEAST_ZOOM = 0.15;
/** Nearer than all of it where that would be too small to read at first. */
const LEAST_ZOOM_AT_FIRST = 0.55;

const NODE_TYPES = { entry: EntryCard, step: StepCard, spot: SpotButton, lines: Lines, apart: ApartTitle };

export default function Canvas() {
  const { t } = useTranslation();
  const { graph, outline, counts, show, open } = useEditing();
  const drawing = useMemo(
    () => layOut(outline, (id) => HEAD_HEIGHT + (feetOf(graph, id, counts, t).length > 0 ? FOOT_HEIGHT : 0)),
    [outline, graph, counts, t],
  );
  const nodes = useMemo(() => nodesOf(drawing), [drawing]);
  const heading = useRef<HTMLHeadingElement>(null);
  const pane = useRef<HTMLDivElement>(null);
  const enterPanel = () => setTimeout(() => heading.current?.focus());
  const begin = (flow: ReactFlowInstance) => {
    const width = pane.current?.clientWidth ?? 0;
    const zoom = Math.max(LEAST_ZOOM_AT_FIRST, Math.min(1, width / (drawing.width + 2 * MARGIN)));
    const card = drawing.items.find((one) => one.kind === "card" && `step:${one.id}` === open);
    const middle = drawing.width * zoom <= width ? drawing.width / 2 : (drawing.items[0]?.x ?? 0);
    if (card) void flow.setCenter(card.x, card.y, { zoom });
    else void flow.setViewport({ x: width / 2 - middle * zoom, y: MARGIN, zoom });
  };
  return (
    <CanvasProvider value={{ drawing, enterPanel }}>
      <div className="canvas-page">
        <section className="canvas-pane" ref={pane} aria-label={t("canvas.title")}>
          <ReactFlowProvider>
            <ReactFlow
              nodes={nodes}
              edges={NO_EDGES}
              nodeTypes={NODE_TYPES}
              onInit={begin}
              onPaneClick={() => show(undefined)}
              minZoom={LEAST_ZOOM}
              maxZoom={1.5}
              nodesDraggable={false}
              nodesConnectable={false}
              nodesFocusable={false}
              edgesFocusable={false}
              elementsSelectable={false}
              disableKeyboardA11y
              panOnScroll
              zoomOnDoubleClick={false}
              deleteKeyCode={null}
              selectionKeyCode={null}
              multiSelectionKeyCode={null}
              proOptions={{ hideAttribution: true }}
            >
              <Controls hasPeople={(counts?.whole.entered ?? 0) > 0} />
            </ReactFlow>
          </ReactFlowProvider>
        </section>
        <Panel heading={heading} />
      </div>
    </CanvasProvider>
  );
}

const NO_EDGES: [] = [];

/** Steps and the buttons between them follow each other as they are read, so that Tab goes from one to the next. */
function nodesOf(drawing: Drawing): Node[] {
  const node = (id: string, type: string, x: number, y: number, data: Record<string, unknown>): Node => ({
    id,
    type,
    position: { x, y },
    data,
    domAttributes: PLAIN,
  });
  return [
    { ...node("lines", "lines", 0, 0, {}), width: drawing.width, height: drawing.height, zIndex: -1 },
    ...drawing.items.map((item): Node => {
      if (item.kind === "card")
        return {
          ...node(`card ${item.id}`, item.id === ENTRY ? "entry" : "step", item.x - CARD_WIDTH / 2, item.y, {
            id: item.id,
          }),
          width: CARD_WIDTH,
          height: item.height,
        };
      const name = item.gap.slots.map(({ node: of, key }) => `${of}/${key}`).join(" ");
      return {
        ...node(`spot ${name}`, "spot", item.x - SPOT.width / 2, item.y - SPOT.height / 2, { spot: item }),
        ...SPOT,
      };
    }),
    ...drawing.apart.map(({ x, y }, at) => ({
      ...node(`apart ${at}`, "apart", x - CARD_WIDTH / 2, y - 24, {}),
      width: CARD_WIDTH,
      height: 24,
    })),
  ];
}

/** A place on the canvas is nothing that is read out. */
const PLAIN = { "aria-roledescription": undefined } as const;
