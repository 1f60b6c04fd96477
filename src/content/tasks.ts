/** What the threads are asked and what they answer. */
import type { Finding, Message } from "./checks/checks.ts";
import type { ContentSource } from "./compile.ts";
import type { CompiledContent } from "./compiled.ts";
import type { ContentFault } from "./faults.ts";
import type { MergeData } from "./merge.ts";
import type { Values, ValuesFault } from "./render.ts";

/** A thread keeps the newest contents that it was given; a sender renders a few campaigns at a time. */
export const MAX_KEPT_CONTENTS = 20;

export type Task =
  | { readonly kind: "compile"; readonly source: ContentSource }
  | { readonly kind: "check"; readonly message: Message }
  | {
      readonly kind: "render";
      readonly key: string;
      /** Null where the thread has kept it. */
      readonly compiled: CompiledContent | null;
      readonly recipient: MergeData;
    };

export type Compiled = { readonly ok: true; readonly compiled: CompiledContent };
export type Checked = { readonly ok: true; readonly findings: readonly Finding[] };
export type Faulty = { readonly ok: false; readonly faults: readonly ContentFault[] };

export type Answer =
  /** The thread's first word: what it takes to load isn't the task's time. */
  | { readonly kind: "ready" }
  | { readonly kind: "compiled"; readonly result: Compiled }
  | { readonly kind: "checked"; readonly result: Checked }
  | { readonly kind: "rendered"; readonly result: Values | ValuesFault }
  | { readonly kind: "failed"; readonly faults: readonly ContentFault[] };
