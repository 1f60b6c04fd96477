/** A server at its place in an order. */
import { ArrowDown, ArrowUp, CircleAlert, X } from "lucide-react";
import type { KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import type { Transport } from "../../../api/openapi.ts";
import type { Fault } from "../../../api/problem.ts";
import { Button } from "../../../kit/button.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { sentence } from "../../../kit/sentence.ts";

type Acts = {
  readonly up: (() => void) | undefined;
  readonly down: (() => void) | undefined;
  readonly remove: () => void;
};

type RowProps = {
  place: number;
  name: string;
  /** Undefined for the instance's own, and for one that was deleted. */
  server: Transport | undefined;
  isInUse: boolean;
  isInstance: boolean;
  fault: Fault | undefined;
  partOf: (what: string) => string;
  /** Whoever may not change it has none. */
  acts?: Acts;
};

export function OrderRow({ place, name, server, isInUse, isInstance, fault, partOf, acts }: RowProps) {
  const { t } = useTranslation();
  const onKeyDown = (event: KeyboardEvent) => {
    if (!event.altKey || !event.shiftKey) return;
    const run = { ArrowUp: acts?.up, ArrowDown: acts?.down, Delete: acts?.remove }[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
  return (
    <li onKeyDown={acts && onKeyDown}>
      <span className="num dim" aria-hidden="true">
        {place}
      </span>
      <div className="stack tight">
        <span className="row wrap server-line">
          <span className="med break" dir="auto">
            {name}
          </span>
          {server?.out ? (
            <span className="badge danger">{t("serverState.out")}</span>
          ) : (
            isInUse && <span className="badge accent">{t("serverState.inUse")}</span>
          )}
        </span>
        {server && <span className="xs dim mono break">{t("servers.address", server)}</span>}
        {isInstance && acts && <span className="xs dim">{t("serverOrder.instanceHint")}</span>}
        {fault && (
          <span className="row xs med c-danger" role="alert">
            <Icon of={CircleAlert} size="sm" />
            <span>
              <FaultWords fault={fault} />
            </span>
          </span>
        )}
      </div>
      {acts && (
        <span className="row">
          <Button
            id={partOf("up")}
            size="sm"
            kind="quiet"
            icon={ArrowUp}
            aria-label={t("serverOrder.up", { name })}
            disabled={!acts.up}
            onClick={acts.up}
          />
          <Button
            id={partOf("down")}
            size="sm"
            kind="quiet"
            icon={ArrowDown}
            aria-label={t("serverOrder.down", { name })}
            disabled={!acts.down}
            onClick={acts.down}
          />
          <Button
            id={partOf("remove")}
            size="sm"
            kind="quiet"
            icon={X}
            aria-label={t("serverOrder.remove", { name })}
            onClick={acts.remove}
          />
        </span>
      )}
    </li>
  );
}

/** Our own words come first; what the service said stands in where there are none. */
function FaultWords({ fault: { code, detail } }: { fault: Fault }) {
  const { t } = useTranslation();
  return code === "not_found" || code === "not_last" ? t(`serverOrder.faults.${code}`) : sentence(detail);
}
