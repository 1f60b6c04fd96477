/**
 * Measures in a browser how long frames take while somebody types in a mail of 100 KB, with the processor slowed four times: in our
 * composer, and in a bare editor of the same kind.
 */
import { join } from "node:path";
import type { CDPSession, Page } from "playwright-core";
import { build } from "vite";
import type { Bench, Result, Setting } from "../harness/bench.ts";
import { median, spread } from "../harness/numbers.ts";
import { longMail } from "./long-mail.ts";
import { startSignedIn } from "./signed-in.ts";

const PEOPLE = 100;
const SLOWED = 4;
/** No frame may take longer. */
const MOST_MS = 50;
/** A quick typist's. */
const BETWEEN_KEYS_MS = 80;
const MOST_ROUNDS = 3;
const TYPED =
  'Dear {{ first_name }}, the <b>shop</b> opens its winter tables on Thursday. "Come in for tea." ';

export const typingBench: Bench = {
  name: "typing",
  summary: "typing in a mail of 100 KB, in HTML and in MJML, with the processor slowed four times",
  parts: ["html", "mjml"],
  async *run(setting) {
    const { api, page, stop } = await startSignedIn(setting, {
      name: "typing",
      people: PEOPLE,
      roles: "api",
    });
    try {
      const bare = await page.context().browser()?.newPage({ viewport: page.viewportSize() });
      if (!bare) throw new Error("the browser has gone");
      const script = await bundleBareEditor();
      const [list] = (await api.send("GET", "/v1/lists")).data;
      for (const kind of ["html", "mjml"] as const) {
        if (setting.part && setting.part !== kind) continue;
        const mail = longMail(kind);
        const openOurs = async () => {
          const made = await api.send("POST", "/v1/campaigns", {
            name: `Typing ${kind}`,
            list_id: list.id,
            subject: "News",
            [kind]: mail,
          });
          await page.goto(`${api.baseUrl}/campaigns/${made.id}/edit`);
        };
        const openBare = async () => {
          await bare.goto("about:blank");
          await bare.evaluate(`globalThis.mail = ${JSON.stringify(mail)}`);
          await bare.addScriptTag({ content: script });
        };
        yield await compare(setting, kind, { page, open: openOurs }, { page: bare, open: openBare });
      }
    } finally {
      await stop();
    }
  },
};

async function bundleBareEditor(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: "warn",
    build: {
      write: false,
      rolldownOptions: { input: join(import.meta.dirname, "../reference/bare-codemirror.ts") },
    },
  });
  const [first] = [built].flat();
  const chunk = first && "output" in first && first.output[0];
  if (!chunk) throw new Error("the bare editor could not be bundled");
  return chunk.code;
}

type Side = { readonly page: Page; readonly open: () => Promise<void> };
type Taken = { readonly frames: readonly number[]; readonly long: readonly number[] };

/** The two take turns, so that what slows the machine for a while slows both. */
async function compare({ sizes, note }: Setting, kind: string, ours: Side, reference: Side): Promise<Result> {
  const takenOurs: Taken[] = [];
  const takenReference: Taken[] = [];
  for (let round = 1; round <= Math.min(sizes.rounds, MOST_ROUNDS); round++) {
    takenOurs.push(await type(ours));
    takenReference.push(await type(reference));
    note(`${kind}, round ${round}: ours ${inWords(takenOurs)}; bare editor ${inWords(takenReference)}`);
  }
  const counts = takenOurs.map(({ long }) => long.length);
  const referenceCounts = takenReference.map(({ long }) => long.length);
  const [count, referenceCount] = [median(counts), median(referenceCounts)];
  return {
    figure: {
      name: `typing in 100 KB of ${kind}: frames over ${MOST_MS} ms`,
      ours: count,
      reference: referenceCount,
      ratio: referenceCount === 0 ? null : count / referenceCount,
      asked: 0,
      ok: count === 0,
    },
    unit: "frame",
    headline: `${count} frames over ${MOST_MS} ms, a bare editor ${referenceCount}; none is asked`,
    details: [
      `ours        ${spread(counts, String)}; ${times(takenOurs)}`,
      `bare editor ${spread(referenceCounts, String)}; ${times(takenReference)}`,
    ],
  };
}

function inWords(taken: readonly Taken[]): string {
  const { long, frames } = taken.at(-1) ?? { long: [], frames: [] };
  return `${long.length} of ${frames.length} frames, the longest ${Math.max(...long, 0).toFixed(0)} ms`;
}

function times(taken: readonly Taken[]): string {
  const long = taken.flatMap((one) => one.long);
  const sorted = taken.flatMap((one) => one.frames).toSorted((one, other) => one - other);
  const share = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0);
  return (
    `the longest ${Math.max(...long, 0).toFixed(0)} ms; ` +
    `between frames: median ${share(0.5)} ms, 95 % ${share(0.95)} ms, 99 % ${share(0.99)} ms`
  );
}

/** Notes how long each frame took from the one before, and the frames of which the browser itself says that they were long. */
const WATCH = `
  window.frameTimes = [];
  window.longFrames = [];
  new PerformanceObserver((list) => window.longFrames.push(...list.getEntries().map((one) => one.duration)))
    .observe({ type: "long-animation-frame" });
  let last = performance.now();
  requestAnimationFrame(function next(now) {
    window.frameTimes.push(now - last);
    last = now;
    requestAnimationFrame(next);
  });
`;

async function type({ page, open }: Side): Promise<Taken> {
  await page.bringToFront();
  await open();
  const cdp: CDPSession = await page.context().newCDPSession(page);
  await page.getByRole("textbox", { name: /^Content, as/ }).click();
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 12; line++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.waitForLoadState("networkidle");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  // The first keys meet code that the browser has not compiled yet; a person has typed some before they notice anything.
  await page.keyboard.type("Once ", { delay: BETWEEN_KEYS_MS });
  await page.evaluate(WATCH);
  await page.keyboard.type(TYPED, { delay: BETWEEN_KEYS_MS });
  const taken = await page.evaluate<Taken>(
    "({ frames: window.frameTimes.slice(1), long: window.longFrames })",
  );
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await cdp.detach();
  return taken;
}
