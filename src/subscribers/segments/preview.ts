/** Tries rules out: how many match, after each rule too, and a few of those who do. */
import type { Ctx } from "../../platform/context.ts";
import { DbError } from "../../platform/db/errors.ts";
import { compileRule } from "./compile.ts";
import type { Rule } from "./rules.ts";
import { countStatement, sampleMatching } from "./segment-store.ts";
import { type CompileFor, findCompileOptions } from "./segments.ts";
import { countSteps, type Steps, uncountedSteps } from "./steps.ts";

type Preview = {
  readonly count: number | null;
  readonly sampleIds: readonly string[] | null;
  readonly steps: Steps | null;
};

const SAMPLE = 10;

/** Whatever takes longer than a statement may is null. Its connection must run each statement by itself. */
export async function previewRule(
  ctx: Ctx,
  rule: Rule,
  of: CompileFor,
  includeSteps: boolean,
): Promise<Preview> {
  const { listId } = of;
  const options = await findCompileOptions(ctx, rule, of);
  const condition = compileRule(rule, options);
  const counting = async () => {
    const steps = includeSteps ? await unlessTooLong(countSteps(ctx, rule, options, listId)) : null;
    if (steps) return { count: steps.count, steps: { from: steps.from, rules: steps.rules } };
    // For the count alone the server may know a shorter way than through everybody.
    const counted = ctx.sql.one<{ count: number }>(countStatement(ctx.accountId, listId, condition));
    const count = (await unlessTooLong(counted))?.count ?? null;
    return { count, steps: includeSteps ? uncountedSteps(rule) : null };
  };
  const [counted, sampleIds] = await Promise.all([
    counting(),
    unlessTooLong(sampleMatching(ctx.sql, ctx.accountId, listId, condition, SAMPLE)),
  ]);
  return { ...counted, sampleIds };
}

async function unlessTooLong<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DbError && error.kind === "busy") return null;
    throw error;
  }
}
