import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../icon.tsx";

type Props = { title: string; lead?: string; onClose: () => void; children: ReactNode };

/** A dialog at the side of the window, beside which the page can be seen. It is there while it is rendered. */
export function Drawer({ title, lead, onClose, children }: Props) {
  const { t } = useTranslation();
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim-cover" />
        <Dialog.Popup className="drawer">
          <div className="row between drawer-head">
            <Dialog.Title className="dialog-t">{title}</Dialog.Title>
            <Dialog.Close className="btn btn-quiet btn-icon" aria-label={t("do.close")}>
              <Icon of={X} />
            </Dialog.Close>
          </div>
          {lead && <Dialog.Description className="mid">{lead}</Dialog.Description>}
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
