/**
 * The thread that compiles, checks, and renders what the fast path can't. It is killed when it takes too long, so it
 * owns nothing.
 */
import { parentPort } from "node:worker_threads";
import { compileBlocks } from "../blocks/blocks.ts";
import { compileContent } from "../compile-content.ts";
import { ContentError, faultWithoutPlace } from "../faults.ts";
import { type PreparedContent, prepareContent, renderValues } from "../render.ts";
import { type Answer, MAX_KEPT_CONTENTS, type Task } from "./tasks.ts";

const kept = new Map<string, PreparedContent>();

parentPort?.on("message", async (task: Task) => say(await perform(task)));
say({ kind: "ready" });

function say(answer: Answer): void {
  parentPort?.postMessage(answer);
}

async function perform(task: Task): Promise<Answer> {
  try {
    if (task.kind === "compile") {
      return { kind: "compiled", result: { ok: true, compiled: await compileContent(task.source) } };
    }
    if (task.kind === "blocks") {
      return { kind: "written", result: { ok: true, mjml: compileBlocks(task.document).mjml } };
    }
    if (task.kind === "check") {
      // The checks are loaded with the first one, because a thread that only renders for senders doesn't need them.
      const { checkMessage } = await import("../checks/checks.ts");
      return { kind: "checked", result: { ok: true, findings: await checkMessage(task.message) } };
    }
    return { kind: "rendered", result: renderValues(prepare(task), task.recipient) };
  } catch (error) {
    if (error instanceof ContentError) return { kind: "failed", faults: error.faults };
    // Functions here recurse only as deep as the tags are nested.
    if (error instanceof RangeError && /call stack/i.test(error.message)) {
      const detail = "The tags are nested too deeply. Close some of them.";
      return { kind: "failed", faults: [faultWithoutPlace("nested_too_deeply", null, detail)] };
    }
    throw error;
  }
}

/**
 * Returns a prepared content. `workers.ts` keeps the same count of contents, and sends one again that was dropped
 * here.
 */
function prepare({ key, compiled }: Task & { kind: "render" }): PreparedContent {
  if (compiled) {
    const [oldest] = kept.keys();
    if (kept.size >= MAX_KEPT_CONTENTS && oldest !== undefined) kept.delete(oldest);
    kept.set(key, prepareContent(compiled));
  }
  const content = kept.get(key);
  if (!content) throw new Error("the content wasn't kept");
  return content;
}
