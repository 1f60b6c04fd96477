/** Short messages at the foot of the window: what was done, with a way back where there is one. */
import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Icon } from "./icon.tsx";

const manager = Toast.createToastManager();
const SHOWN_MS = 6_000;
const WITH_UNDO_MS = 8_000;

export function notify(text: string, undo?: { label: string; run: () => void }): void {
  const id = manager.add({
    title: text,
    timeout: undo ? WITH_UNDO_MS : SHOWN_MS,
    ...(undo && {
      actionProps: {
        children: undo.label,
        onClick: () => {
          manager.close(id);
          undo.run();
        },
      },
    }),
  });
}

/** A failure stays until it is closed, since whoever looked away would never learn of it. */
export function notifyFailure(text: string): void {
  manager.add({ title: text, timeout: 0, priority: "high" });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={1}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { t } = useTranslation();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Title render={<span />} />
      {toast.actionProps && <Toast.Action className="btn btn-sm" />}
      <Toast.Close className="btn btn-sm btn-icon" aria-label={t("do.close")}>
        <Icon of={X} size="sm" />
      </Toast.Close>
    </Toast.Root>
  ));
}
