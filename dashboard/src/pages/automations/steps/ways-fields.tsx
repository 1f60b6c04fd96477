/** The ways of a branch, in their order, and the shares of a split. */
import { ArrowUp, Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../kit/button.tsx";
import { useEditing } from "../editor/editing.ts";
import { sayWay } from "../graph/describe.ts";
import { listIn } from "../graph/draft.ts";
import { addWay, removeWay } from "../graph/edit-graph.ts";
import { RuleField } from "./rule-field.tsx";
import { NumberField } from "./small-fields.tsx";
import type { PartProps } from "./step-props.ts";
import { partsAt } from "./use-part.ts";

const MOST = 10;

export function WaysFields({ part, id }: { part: PartProps; id: string }) {
  const { t } = useTranslation();
  const { graph, change, say } = useEditing();
  const { value, set, faultOf } = part;
  const ways = listIn(value["ways"]);
  const isSplit = value["type"] === "split";
  const parts = partsAt(part, "ways", ways);
  const sum = ways.reduce((total, { percent }) => total + (typeof percent === "number" ? percent : 0), 0);
  const swap = (at: number) => {
    const [one, other] = [ways[at - 1], ways[at]];
    set({ ways: ways.map((way, index) => (index === at ? one : index === at - 1 ? other : way)) });
  };
  const add = () =>
    change(addWay(graph, id, isSplit ? { percent: Math.max(0, Math.round(1_000 - sum * 10) / 10) } : {}));
  return (
    <div className="stack">
      {parts.map((way, at) => {
        const called = sayWay(value, `ways/${at}/next`, say);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: ways have no names, and are told apart by their order.
          <div key={at} className="draft-part">
            <div className="grow">
              {isSplit ? (
                <NumberField
                  name={`${way.name}-percent`}
                  label={`${t("step.ways.way", { number: at + 1 })}: ${t("step.ways.percent")}`}
                  value={way.value["percent"]}
                  fault={way.faultOf("percent")}
                  onChange={(percent) => way.set({ percent }, "percent")}
                />
              ) : (
                <RuleField
                  label={t("step.ways.way", { number: at + 1 })}
                  value={way.value["if"]}
                  place={`step:${id}`}
                  part={`ways/${at}/if`}
                  onChange={(rule) => way.set({ if: rule }, "if")}
                />
              )}
            </div>
            {at > 0 && !isSplit && (
              <Button
                kind="quiet"
                size="sm"
                icon={ArrowUp}
                aria-label={`${t("automations.outline.moveUp")}: ${called}`}
                onClick={() => swap(at)}
              />
            )}
            {ways.length > (isSplit ? 2 : 1) && (
              <Button
                kind="quiet"
                size="sm"
                icon={X}
                aria-label={t("step.ways.remove", { way: called })}
                onClick={() => change(removeWay(graph, id, at))}
              />
            )}
          </div>
        );
      })}
      {isSplit && <p className="sm mid">{t("step.ways.sum", { sum: Math.round(sum * 10) / 10 })}</p>}
      {faultOf("ways") && <div className="err">{faultOf("ways")}</div>}
      {ways.length < MOST && (
        <div>
          <Button size="sm" icon={Plus} onClick={add}>
            {t("step.ways.add")}
          </Button>
        </div>
      )}
    </div>
  );
}
