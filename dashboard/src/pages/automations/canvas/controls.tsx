import { useReactFlow, useViewport } from "@xyflow/react";
import { Maximize, Minus, Plus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "../../../i18n/format.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { useRegisterActions } from "../../../shell/actions.ts";

const FIT = { padding: 0.08, maxZoom: 1 };

/** What changes how near the canvas is. */
export function Controls({ hasPeople }: { hasPeople: boolean }) {
  const { t } = useTranslation();
  const flow = useReactFlow();
  const { zoom } = useViewport();
  const nearer = () => void flow.zoomIn();
  const farther = () => void flow.zoomOut();
  const fit = () => void flow.fitView(FIT);
  useRegisterActions([
    { id: "canvas-nearer", label: t("canvas.zoomIn"), icon: Plus, keys: "+", run: nearer },
    { id: "canvas-farther", label: t("canvas.zoomOut"), icon: Minus, keys: "-", run: farther },
    { id: "canvas-fit", label: t("canvas.fitAll"), icon: Maximize, keys: "0", run: fit },
  ]);
  const share = t("canvas.zoom", { number: formatNumber(Math.round(zoom * 100)) });
  return (
    <div className="canvas-controls">
      <div className="seg">
        <button type="button" aria-label={t("canvas.zoomOut")} onClick={farther}>
          <Icon of={Minus} size="sm" />
        </button>
        <button
          type="button"
          aria-label={t("canvas.zoomTo", { share })}
          onClick={() => void flow.zoomTo(1)}
          className="num"
        >
          {share}
        </button>
        <button type="button" aria-label={t("canvas.zoomIn")} onClick={nearer}>
          <Icon of={Plus} size="sm" />
        </button>
      </div>
      <Button size="sm" icon={Maximize} onClick={fit}>
        {t("canvas.fit")}
      </Button>
      <span className="canvas-hint xs dim">{t(hasPeople ? "canvas.lines" : "canvas.noLines")}</span>
    </div>
  );
}
