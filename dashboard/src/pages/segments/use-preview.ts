import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useSettled } from "../../shell/use-settled.ts";
import { kindOf, type OwnField, shapeOf } from "./rules/subjects.ts";
import {
  type Condition,
  conditionsIn,
  type Group,
  isFinished,
  type Written,
  writeTree,
} from "./rules/tree.ts";

/** The rules that are finished, and how many aren't. */
function finishedPart(
  root: Group,
  fields: readonly OwnField[],
): { written: Written | undefined; unfinished: number } {
  const isWanted = (one: Condition) => {
    const kind = kindOf(one.field, fields);
    return isFinished(one, kind && shapeOf(kind, one.op));
  };
  const unfinished = conditionsIn(root).filter((one) => !isWanted(one)).length;
  return { written: writeTree(root, isWanted), unfinished };
}

/** Counts once typing has paused. A newer question ends the one before, whose answer stays until the new one is there. */
export function usePreview(root: Group, listId: string | null, fields: readonly OwnField[]) {
  const { written, unfinished } = finishedPart(root, fields);
  const present = written ? JSON.stringify({ list_id: listId, rules: written.rules }) : "";
  const question = useSettled(present);
  const result = useQuery({
    queryKey: ["segments", "preview", question],
    queryFn: async ({ signal }) => {
      const body = { ...JSON.parse(question), include_steps: true };
      return call("POST /v1/segments/preview", { body, signal });
    },
    enabled: question !== "",
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  return { ...result, written, unfinished, isAsked: question !== "", isSettled: question === present };
}
