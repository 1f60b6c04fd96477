/** Defines what the threads are asked and what they answer. */
import type { BlocksDocument } from "../blocks/blocks.ts";
import type { Finding, Message } from "../checks/checks.ts";
import type { ContentSource } from "../compile.ts";
import type { CompiledContent } from "../compiled.ts";
import type { ContentFault } from "../faults.ts";
import type { MergeData } from "../merge.ts";
import type { Values, ValuesFault } from "../render.ts";

/** The number of newest contents that a thread keeps. A sender renders a few campaigns at a time. */
export const MAX_KEPT_CONTENTS = 20;

export type Task =
  | { readonly kind: "compile"; readonly source: ContentSource }
  | { readonly kind: "blocks"; readonly document: BlocksDocument }
  | { readonly kind: "check"; readonly message: Message }
  | {
      readonly kind: "render";
      readonly key: string;
      /** Null where the thread has kept the content. */
      readonly compiled: CompiledContent | null;
      readonly recipient: MergeData;
    };

export type Compiled = { readonly ok: true; readonly compiled: CompiledContent };
export type Written = { readonly ok: true; readonly mjml: string };
export type Checked = { readonly ok: true; readonly findings: readonly Finding[] };
export type Faulty = { readonly ok: false; readonly faults: readonly ContentFault[] };

export type Answer =
  /** A thread says this first, so that the time it takes to load isn't counted as the task's. */
  | { readonly kind: "ready" }
  | { readonly kind: "compiled"; readonly result: Compiled }
  | { readonly kind: "written"; readonly result: Written }
  | { readonly kind: "checked"; readonly result: Checked }
  | { readonly kind: "rendered"; readonly result: Values | ValuesFault }
  | { readonly kind: "failed"; readonly faults: readonly ContentFault[] };
