/** The picture in front of what is offered, by its type; each is one of lucide's, drawn without React. */
import type { Completion } from "@codemirror/autocomplete";

const SVG = "http://www.w3.org/2000/svg";
const PATHS: Readonly<Record<string, string>> = {
  person: "M19 21v-2a4 4 0 0 0-4-4H9a4 4 0 0 0-4 4v2M12 3a4 4 0 1 0 0 8a4 4 0 1 0 0-8",
  text: "M12 4v16M4 7V5a1 1 0 0 1 1-1h14a1 1 0 0 1 1 1v2M9 20h6",
  number: "M4 9h16M4 15h16M10 3 8 21M16 3l-2 18",
  date: "M8 2v4M16 2v4M3 10h18M5 4h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2",
  boolean: "M20 6 9 17l-5-5",
  url: "M10 13a5 5 0 0 0 7.54.54l3-3a5 5 0 0 0-7.07-7.07l-1.72 1.71M14 11a5 5 0 0 0-7.54-.54l-3 3a5 5 0 0 0 7.07 7.07l1.71-1.71",
  list: "M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01",
  filter: "M21 12H8M15 5l7 7-7 7M3 5v14",
  tag: "M19 5 5 19M6.5 4a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5M17.5 15a2.5 2.5 0 1 0 0 5a2.5 2.5 0 1 0 0-5",
  type: "m16 18 6-6-6-6M8 6l-6 6 6 6",
};

export function completionPicture({ type = "" }: Completion): Node | null {
  const path = PATHS[type];
  if (path === undefined) return null;
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  const attributes = { viewBox: "0 0 24 24", fill: "none", stroke: "currentColor", "stroke-width": "1.75" };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  svg.setAttribute("class", "completion-picture");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}
