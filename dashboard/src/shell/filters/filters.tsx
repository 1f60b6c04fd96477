/** The filters of a table as chips, each a part of the address, and the chip that adds one. */
import { Plus, X } from "lucide-react";
import { type ReactNode, type RefObject, Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../kit/icon.tsx";
import { useRegisterActions } from "../actions.ts";

type ChipProps = { name: string; children: ReactNode; onRemove: () => void };

export function FilterChip({ name, children, onRemove }: ChipProps) {
  const { t } = useTranslation();
  return (
    <span className="chip">
      <span className="k">{name}</span>
      <span className="v trunc">{children}</span>
      <button type="button" className="x" aria-label={t("filter.remove", { name })} onClick={onRemove}>
        <Icon of={X} size="sm" />
      </button>
    </span>
  );
}

/** Says where a pop-up stands, and what it calls when it is done. */
export type PopupPlace = {
  readonly anchor: RefObject<HTMLButtonElement | null>;
  readonly onClose: () => void;
};

/** `children` makes the pop-up, which is loaded when it is first opened. */
export function AddFilter({ children }: { children: (place: PopupPlace) => ReactNode }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLButtonElement>(null);
  useRegisterActions([
    { id: "filter", label: t("filter.add"), icon: Plus, keys: "f", run: () => setOpen(true) },
  ]);
  return (
    <>
      <button
        ref={anchor}
        type="button"
        className="chip add"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <span>
          <Icon of={Plus} size="sm" />
          {t("filter.add")}
          <span className="kbd" aria-hidden="true">
            F
          </span>
        </span>
      </button>
      <Suspense>{isOpen && children({ anchor, onClose: () => setOpen(false) })}</Suspense>
    </>
  );
}
