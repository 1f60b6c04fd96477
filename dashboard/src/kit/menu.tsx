import { Menu as BaseMenu } from "@base-ui/react/menu";
import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";
import { Icon } from "./icon.tsx";

export type MenuItem = {
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly danger?: boolean;
  readonly run: () => void;
};

/** `trigger` is the button that opens it. */
export function Menu({
  trigger,
  items,
  side = "bottom",
}: {
  trigger: ReactElement;
  items: readonly MenuItem[];
  side?: "bottom" | "top";
}) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="layer" side={side} align="end" sideOffset={4}>
          <BaseMenu.Popup className="pop">
            {items.map(({ label, icon, danger, run }) => (
              <BaseMenu.Item key={label} className={danger ? "opt c-danger" : "opt"} onClick={run}>
                {icon && <Icon of={icon} />}
                <span>{label}</span>
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
