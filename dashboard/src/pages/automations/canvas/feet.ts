/** The numbers at the foot of a card: at most two, those that matter most for what the step does. */
import type { TFunction } from "i18next";
import { formatNumber, formatShare } from "../../../i18n/format.ts";
import { type Graph, typeOf } from "../graph/draft.ts";
import { type Counts, sumOf } from "../lifecycle/use-counts.ts";
import { ENTRY } from "./layout.ts";

/** What is said, and the number within it that is set in bold. */
export type Foot = { readonly text: string; readonly number: string };

export function feetOf(graph: Graph, id: string, counts: Counts | undefined, t: TFunction): readonly Foot[] {
  if (!counts) return [];
  const { whole } = counts;
  const count = (
    key: "came" | "here" | "sent" | "delivered" | "exited" | "reachedBy",
    value: number,
  ): Foot => {
    const number = formatNumber(value);
    return { text: t(`lifecycle.counts.${key}`, { number }), number };
  };
  if (id === ENTRY) {
    if (whole.entered === 0) return [];
    const number = formatNumber(whole.active);
    return [count("came", whole.entered), { text: t("canvas.inside", { number }), number }];
  }
  const step = counts.steps.get(id);
  if (!step || step.entered === 0) return [];
  const exited = sumOf(step.exited);
  const dropped = exited > 0 ? [count("exited", exited)] : [];
  const mail = counts.mails.get(id);
  switch (typeOf(graph.nodes[id])) {
    case "email": {
      if (!mail || mail.sent === 0) return [count("came", step.entered), ...dropped];
      const { open } = mail.rates;
      if (open === null) return [count("sent", mail.sent), count("delivered", mail.delivered)];
      const share = formatShare(open);
      return [count("sent", mail.sent), { text: t("lifecycle.counts.opened", { share }), number: share }];
    }
    case "wait":
    case "wait_for":
      return [count("here", step.waiting), ...(exited > 0 ? dropped : [count("came", step.entered)])];
    case "end":
    case "unsubscribe":
      return [count("exited", exited + sumOf(step.left))];
    case "goal": {
      const goal = counts.goals.get(id);
      if (!goal) return [count("came", step.entered), ...dropped];
      const share = formatShare(goal.conversion);
      return [count("reachedBy", goal.reached), { text: t("canvas.ofThem", { share }), number: share }];
    }
    default:
      return [count("came", step.entered), ...(step.waiting > 0 ? [count("here", step.waiting)] : dropped)];
  }
}
