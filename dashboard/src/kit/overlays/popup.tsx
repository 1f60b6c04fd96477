import { Popover } from "@base-ui/react/popover";
import type { ReactNode, RefObject } from "react";

type PopupProps = {
  /** The button that opened it, which gets the focus back. */
  anchor: RefObject<HTMLButtonElement | null>;
  label: string;
  className: string;
  align: "start" | "end";
  onClose: () => void;
  children: ReactNode;
};

/** A small window at a button. It is there while it is rendered. */
export function Popup({ anchor, label, className, align, onClose, children }: PopupProps) {
  return (
    <Popover.Root open onOpenChange={onClose}>
      <Popover.Portal>
        <Popover.Positioner className="layer" anchor={anchor} sideOffset={6} align={align}>
          <Popover.Popup className={`pop ${className}`} aria-label={label} finalFocus={anchor}>
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
