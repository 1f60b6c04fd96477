/** What Liquid may name in a template: its own variables with their samples, and what campaigns know. */
import { useMemo } from "react";
import { type MergeNames, useVariables } from "../../campaigns/composer/editor/use-variables.ts";
import { textOfValue, type Variable, type VariableType } from "./typed-value.ts";

type NameType = MergeNames["variables"][number]["type"];

const TYPES: Readonly<Record<VariableType, NameType>> = {
  string: "text",
  number: "number",
  boolean: "boolean",
  date: "date",
  list: "list",
  object: "list",
};
const LONGEST_VALUE = 60;

export function useTemplateNames(variables: readonly Variable[]): MergeNames | undefined {
  const ofCampaigns = useVariables({});
  return useMemo(() => {
    if (!ofCampaigns) return undefined;
    const own = variables.filter(({ name }) => name !== "");
    const names = new Set(own.map(({ name }) => name));
    return {
      ...ofCampaigns,
      variables: [
        ...own.map(({ name, type, sample, default: preset }) => ({
          name,
          label: null,
          type: TYPES[type],
          value: textOfValue(sample ?? preset).slice(0, LONGEST_VALUE) || null,
        })),
        ...ofCampaigns.variables.filter(({ name }) => !names.has(name)),
      ],
    };
  }, [ofCampaigns, variables]);
}
