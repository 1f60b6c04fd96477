import { Columns3 } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../kit/icon.tsx";
import { lazyPart } from "../../lazy-page.ts";
import type { Column } from "./columns.tsx";

const ColumnPop = lazyPart(() => import("./column-pop.tsx"));

export function ColumnChoice({ all, shown }: { all: readonly Column[]; shown: readonly Column[] }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn btn-quiet btn-sm hide-s"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        <Icon of={Columns3} />
        {t("table.columns")}
      </button>
      <Suspense>
        {isOpen && <ColumnPop anchor={button} all={all} shown={shown} onClose={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}
