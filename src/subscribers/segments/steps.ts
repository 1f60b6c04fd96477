/** Counts after each rule of the outermost group, in one pass over the audience however many rules there are. */
import type { Ctx } from "../../platform/context.ts";
import { join, type Sql, sql } from "../../platform/db/db.ts";
import { type CompileOptions, compileRule } from "./compile.ts";
import { isGroup, type Rule } from "./rules.ts";
import { countGroups } from "./segment-store.ts";

export type Steps = {
  readonly from: number | null;
  readonly rules: { pointer: string; count: number | null; alone: number | null }[];
};

type Part = {
  /** With true each rule takes some away, with false each adds some. */
  readonly isAll: boolean;
  readonly isInverted: boolean;
  readonly members: readonly { readonly rule: Rule; readonly pointer: string }[];
};

/** A `not` around the group turns `all` into `any` and each rule into its opposite, as it does when the rule is compiled. */
function stepsOf(rule: Rule, pointer = "/rules", isInverted = false): Part {
  if (!isGroup(rule)) return { isAll: true, isInverted, members: [{ rule, pointer }] };
  if ("not" in rule) return stepsOf(rule.not, `${pointer}/not`, !isInverted);
  const [word, members] = "all" in rule ? (["all", rule.all] as const) : (["any", rule.any] as const);
  return {
    isAll: (word === "all") !== isInverted,
    isInverted,
    members: members.map((one, index) => ({ rule: one, pointer: `${pointer}/${word}/${index}` })),
  };
}

export function uncountedSteps(rule: Rule): Steps {
  const rules = stepsOf(rule).members.map(({ pointer }) => ({ pointer, count: null, alone: null }));
  return { from: null, rules };
}

/**
 * Puts everybody into one group: by the first rule that they fail in `all`, or that they meet in `any`. The rules behind it
 * aren't even asked, and the sums of the groups are the counts.
 */
export async function countSteps(
  ctx: Ctx,
  rule: Rule,
  options: CompileOptions,
  listId: string | null,
): Promise<Steps & { readonly count: number }> {
  const { isAll, isInverted, members } = stepsOf(rule);
  const tests = members.map((one) => compileRule(one.rule, options, isInverted));
  const groups = await countGroups(
    ctx.sql,
    ctx.accountId,
    listId,
    firstOf(isAll ? tests.map((test) => sql`not ${test}`) : tests),
    isAll ? [] : tests,
  );
  const sum = (isWanted: (group: number) => boolean) =>
    groups.reduce((total, { group, count }) => total + (isWanted(group) ? count : 0), 0);
  const counts = members.map((_, at) => sum((group) => (isAll ? group > at : group <= at)));
  return {
    from: sum(() => true),
    count: counts.at(-1) ?? 0,
    rules: members.map(({ pointer }, at) => ({
      pointer,
      count: counts[at] ?? 0,
      alone: isAll ? null : groups.reduce((total, { met }) => total + (met[at] ?? 0), 0),
    })),
  };
}

/** The place of the first test that is true; behind the last where none is. */
function firstOf(tests: readonly Sql[]): Sql {
  const cases = tests.map((test, at) => sql`when ${test} then ${at}::int`);
  return sql`case ${join(cases, " ")} else ${tests.length}::int end`;
}
