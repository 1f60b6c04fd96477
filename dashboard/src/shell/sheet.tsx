import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../kit/icon.tsx";

/** The side bar on a narrow screen. */
export default function Sheet({ children, onClose }: { children: ReactNode; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim-cover" />
        <Dialog.Popup className="sheet side" aria-label={t("nav.open")}>
          <Dialog.Close className="btn btn-quiet btn-icon sheet-close" aria-label={t("do.close")}>
            <Icon of={X} />
          </Dialog.Close>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
