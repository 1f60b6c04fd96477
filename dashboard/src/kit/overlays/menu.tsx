import { Menu as BaseMenu } from "@base-ui/react/menu";
import type { LucideIcon } from "lucide-react";
import type { ReactElement, RefObject } from "react";
import type { Scope } from "../../api/may.ts";
import { Icon } from "../icon.tsx";

export type MenuItem = {
  /** Where two may have the same label. */
  readonly id?: string;
  readonly label: string;
  readonly icon?: LucideIcon;
  readonly danger?: boolean;
  /** Whoever lacks this scope doesn't see it. */
  readonly needs?: Scope | undefined;
  readonly run: () => void;
};

type Opening =
  /** The button that opens it. */
  | { trigger: ReactElement; anchor?: never; onClose?: never }
  /** Or it is open while it is rendered, at a button that has the focus back afterwards. */
  | { trigger?: never; anchor: RefObject<HTMLElement | null>; onClose: () => void };

type MenuProps = Opening & { items: readonly MenuItem[]; side?: "bottom" | "top" };

export function Menu({ trigger, anchor, onClose, items, side = "bottom" }: MenuProps) {
  const whenOpen = onClose && { open: true, onOpenChange: onClose };
  return (
    <BaseMenu.Root modal={false} {...whenOpen}>
      {trigger && <BaseMenu.Trigger render={trigger} />}
      <BaseMenu.Portal>
        <BaseMenu.Positioner
          className="layer"
          side={side}
          align="end"
          sideOffset={4}
          {...(anchor && { anchor })}
        >
          <BaseMenu.Popup className="pop" {...(anchor && { finalFocus: anchor })}>
            {items.map(({ label, id = label, icon, danger, run }) => (
              <BaseMenu.Item key={id} className={danger ? "opt c-danger" : "opt"} onClick={run}>
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
