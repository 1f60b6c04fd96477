/** Measures in a browser how long frames take while somebody types in a mail of 100 KB, with the processor slowed four times. */
import type { CDPSession, Page } from "playwright-core";
import type { Bench, Result } from "../harness/bench.ts";
import { median } from "../harness/numbers.ts";
import { startSignedIn } from "./signed-in.ts";

const MAIL_BYTES = 100 * 1_024;
const PEOPLE = 100;
const SLOWED = 4;
/** No frame may take longer. */
const MOST_MS = 50;
/** A quick typist's. */
const BETWEEN_KEYS_MS = 80;
const TYPED =
  'Dear {{ first_name }}, the <b>shop</b> opens its winter tables on Thursday. "Come in for tea." ';

export const typingBench: Bench = {
  name: "typing",
  summary: "typing in a mail of 100 KB, in HTML and in MJML, with the processor slowed four times",
  async *run(setting) {
    const { api, page, stop } = await startSignedIn(setting, {
      name: "typing",
      people: PEOPLE,
      roles: "api",
    });
    try {
      const cdp = await page.context().newCDPSession(page);
      const [list] = (await api.send("GET", "/v1/lists")).data;
      for (const kind of ["html", "mjml"] as const) {
        const content = { [kind]: longMail(kind) };
        const made = await api.send("POST", "/v1/campaigns", {
          name: `Typing ${kind}`,
          list_id: list.id,
          subject: "News",
          ...content,
        });
        await page.goto(`${api.baseUrl}/campaigns/${made.id}/edit`);
        yield await measure(page, cdp, kind);
      }
    } finally {
      await stop();
    }
  },
};

/** Sections of a usual newsletter, one after another. */
function longMail(kind: "html" | "mjml"): string {
  const [before, section, after] =
    kind === "mjml"
      ? [
          "<mjml>\n<mj-body>\n",
          (n: number) =>
            `<mj-section background-color="#ffffff" padding="0 8px">\n  <mj-column>\n    <mj-text font-size="19px">Story ${n}</mj-text>\n` +
            `    <mj-text>Hello {{ first_name | default: "there" }}, two or three lines are enough to say what is new.</mj-text>\n` +
            `    <mj-button href="https://example.com/${n}">Read on</mj-button>\n  </mj-column>\n</mj-section>\n`,
          "</mj-body>\n</mjml>\n",
        ]
      : [
          '<!doctype html>\n<html lang="en">\n<head><title>News</title><style>p { margin: 0 }</style></head>\n<body>\n',
          (n: number) =>
            `<table role="presentation" width="100%" style="max-width:600px; margin:0 auto;">\n  <tr>\n    <td style="padding:24px 8px;">\n` +
            `      <h2 style="font-size:17px; line-height:24px; color:#1f2933;">Story ${n}</h2>\n` +
            `      <p style="color:#1f2933;">Hello {{ first_name | default: "there" }}, two or three lines are enough to say what is new.</p>\n` +
            `      <a href="https://example.com/${n}" style="color:#1d4fc4;">Read on</a>\n    </td>\n  </tr>\n</table>\n`,
          "</body>\n</html>\n",
        ];
  const sections: string[] = [];
  let length = before.length + after.length;
  for (let n = 1; length < MAIL_BYTES; n++) {
    const made = section(n);
    length += made.length;
    sections.push(made);
  }
  return before + sections.join("") + after;
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

async function measure(page: Page, cdp: CDPSession, kind: string): Promise<Result> {
  const editor = page.getByRole("textbox", { name: /^Content, as/ });
  await editor.click();
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 12; line++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.waitForLoadState("networkidle");
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  // The first keys meet code that the browser has not compiled yet; a person has typed some before they notice anything.
  await page.keyboard.type("Once ", { delay: BETWEEN_KEYS_MS });
  await page.evaluate(WATCH);
  await page.keyboard.type(TYPED, { delay: BETWEEN_KEYS_MS });
  const { frames, long } = await page.evaluate<{ frames: number[]; long: number[] }>(
    "({ frames: window.frameTimes.slice(1), long: window.longFrames })",
  );
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  const most = Math.max(...long, 0);
  const sorted = frames.toSorted((one, other) => one - other);
  const share = (part: number) => (sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(0);
  return {
    figure: {
      name: `typing in 100 KB of ${kind}: frames over ${MOST_MS} ms`,
      ours: long.length,
      reference: null,
      ratio: null,
      asked: 0,
      ok: long.length === 0,
    },
    unit: "frame",
    headline: `${long.length} of ${frames.length} frames over ${MOST_MS} ms, the longest ${most.toFixed(0)} ms; none is asked`,
    details: [
      `between frames: median ${median(frames).toFixed(0)} ms, 95 % ${share(0.95)} ms, 99 % ${share(0.99)} ms`,
    ],
  };
}
