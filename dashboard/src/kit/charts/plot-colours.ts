/** A canvas knows no tokens, so what they mean here and now is read from the page, and again when that changes. */

type Draw = (colourOf: (token: string) => string) => void;

/**
 * Draws now, and again when the theme, the system's colours or the medium change. Paper is white: whoever prints gets the
 * light colours, whatever the screen shows.
 */
export function watchColours(element: HTMLElement, draw: Draw): () => void {
  const redraw = (isPrinted: boolean) => draw(readerOf(element, isPrinted));
  const asShown = () => redraw(print.matches);
  const toPaper = () => redraw(true);
  const toScreen = () => redraw(false);
  const print = matchMedia("print");
  const system = [print, matchMedia("(prefers-color-scheme: dark)"), matchMedia("(forced-colors: active)")];
  for (const query of system) query.addEventListener("change", asShown);
  window.addEventListener("beforeprint", toPaper);
  window.addEventListener("afterprint", toScreen);
  const observer = new MutationObserver(asShown);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  asShown();
  return () => {
    for (const query of system) query.removeEventListener("change", asShown);
    window.removeEventListener("beforeprint", toPaper);
    window.removeEventListener("afterprint", toScreen);
    observer.disconnect();
  };
}

/** The browser is asked what a token comes to, since `light-dark()` stands in it and a canvas doesn't take that. */
function readerOf(element: HTMLElement, isPrinted: boolean): (token: string) => string {
  return (token) => {
    const probe = document.createElement("i");
    probe.style.color = `var(${token})`;
    if (isPrinted) probe.style.colorScheme = "light";
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

const HATCH = 6;

/** Lines aslant, as machines have them everywhere. */
export function hatch(target: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const size = Math.round(HATCH * devicePixelRatio);
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const context = tile.getContext("2d");
  if (!context) return "transparent";
  context.strokeStyle = colour;
  context.globalAlpha = 0.6;
  context.lineWidth = devicePixelRatio;
  context.beginPath();
  // The corners are drawn twice, so that the lines of neighbouring tiles meet.
  for (const shift of [-size, 0, size]) {
    context.moveTo(shift, size);
    context.lineTo(shift + size, 0);
  }
  context.stroke();
  return target.createPattern(tile, "repeat") ?? "transparent";
}
