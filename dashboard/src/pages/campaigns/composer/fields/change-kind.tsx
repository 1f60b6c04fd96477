/** Leads from one way of writing to another, and asks first where something would be lost. */
import { type ComponentProps, Suspense } from "react";
import { BeginBlocks } from "../blocks/blocks-content.tsx";
import { LeaveBlocks, type Written } from "../blocks/convert.tsx";
import { SwitchKind } from "./switch-kind.tsx";

type Props = Pick<ComponentProps<typeof SwitchKind>, "from" | "onClose"> & {
  drafting: ComponentProps<typeof SwitchKind>["drafting"] & {
    readonly draft: Written;
    readonly change: (patch: Written) => void;
  };
  to: "blocks" | "mjml" | "html";
};

export function ChangeKind({ drafting, from, to, onClose }: Props) {
  const { draft, change } = drafting;
  const { blocks, html, mjml } = draft;
  if (to === "blocks")
    return (
      <Suspense>
        <BeginBlocks written={{ blocks, html, mjml }} change={change} onClose={onClose} />
      </Suspense>
    );
  if (blocks !== null) return <LeaveBlocks document={blocks} to={to} change={change} onClose={onClose} />;
  return <SwitchKind drafting={drafting} from={from} to={to} onClose={onClose} />;
}
