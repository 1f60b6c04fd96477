/** What fits what is typed behind `/` and `{`. */
import { useTranslation } from "react-i18next";
import type { Variable } from "../../fields/variables.ts";
import { KINDS } from "../document/kinds.ts";
import { VARIABLE } from "../document/rules.ts";
import type { Controls } from "./controls.ts";
import { useSections } from "./panels/use-sections.ts";
import type { SuggestHost, Suggestion } from "./state/suggesting.ts";
import { insertVariable } from "./state/word-commands.ts";

export function useSuggestions(
  variables: readonly Variable[],
  controls: Controls | undefined,
): SuggestHost["suggest"] {
  const { t } = useTranslation();
  const sections = useSections(controls);
  return (trigger, query) => {
    if (!controls) return [];
    const wanted = query.toLowerCase();
    if (trigger === "{") return variables.filter(({ name }) => VARIABLE.test(name)).flatMap(asVariable);
    return [...KINDS.flatMap(asKind), ...sections.list.flatMap(asSection), ...older()];

    function asVariable({ name, label, value }: Variable): Suggestion[] {
      if (!name.toLowerCase().includes(wanted) && !label.toLowerCase().includes(wanted)) return [];
      const choose = () => void controls?.act((state) => insertVariable(state, name));
      return [{ key: name, label, hint: value ?? name, choose }];
    }
    function asKind(kind: (typeof KINDS)[number]): Suggestion[] {
      const label = t(`blocksEditor.kinds.${kind}`);
      const isLike = `${label} ${t(`blocksEditor.kindHints.${kind}`)}`
        .toLowerCase()
        .split(" ")
        .some((word) => word.startsWith(wanted));
      return isLike ? [{ key: kind, label, choose: () => controls?.insertKind(kind) }] : [];
    }
    /** A name that is typed may be that of a section that isn't among the newest. */
    function older(): Suggestion[] {
      const choose = () => controls?.setOpen({ kind: "sections" });
      return sections.hasMore ? [{ key: "sections", label: t("blocksEditor.insert.all"), choose }] : [];
    }
    function asSection({ id, name, insert }: (typeof sections.list)[number]): Suggestion[] {
      if (!name.toLowerCase().includes(wanted)) return [];
      return [{ key: id, label: name, hint: t("blocksEditor.insert.sections"), choose: insert }];
    }
  };
}
