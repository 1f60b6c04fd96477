/** A menu of what Liquid may name, with the value that each has for whoever is shown; what is chosen is inserted. */
import { Menu } from "@base-ui/react/menu";
import { Braces } from "lucide-react";
import { memo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "../../../../kit/button.tsx";
import type { MergeNames } from "./use-variables.ts";

export const VariablesMenu = memo(function VariablesMenu({
  names,
  insert,
}: {
  names: MergeNames | undefined;
  insert: (text: string) => void;
}) {
  const { t } = useTranslation();
  // At the end of the page it would stand outside of every landmark.
  const host = useRef<HTMLSpanElement>(null);
  return (
    <Menu.Root modal={false}>
      <span ref={host} />
      <Menu.Trigger
        render={
          <Button kind="quiet" size="sm" icon={Braces} disabled={!names}>
            {t("editor.variables")}
          </Button>
        }
      />
      <Menu.Portal container={host}>
        <Menu.Positioner className="layer" side="bottom" align="end" sideOffset={4}>
          {/* The focus goes to where the variable was put. */}
          <Menu.Popup className="pop variables-menu" finalFocus={false}>
            {names?.variables.map(({ name, value }) => (
              <Menu.Item key={name} className="opt" onClick={() => insert(`{{ ${name} }}`)}>
                <span className="mono">{name}</span>
                <span className="variable-value xs dim">{value}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
});
