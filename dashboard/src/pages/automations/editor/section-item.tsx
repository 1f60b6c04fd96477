/** A part of the draft beside its steps, which opens like a step does. */
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Icon } from "../../../kit/icon.tsx";
import { useEditing } from "./editing.ts";
import { StepFaults } from "./outline-list.tsx";

type Props = {
  place: "entry" | "exit" | "send";
  icon: LucideIcon;
  title: string;
  says: readonly string[];
  children: ReactNode;
};

export function SectionItem({ place, icon, title, says, children }: Props) {
  const { open, show, faults } = useEditing();
  const isOpen = open === place;
  const panel = `panel-${place}`;
  return (
    <li className="step step-section" data-step={place}>
      <div className="step-row">
        <button
          type="button"
          className="step-head"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panel : undefined}
          onClick={() => show(isOpen ? undefined : place)}
        >
          <span className="step-icon">
            <Icon of={icon} />
          </span>
          <span className="step-words">
            <span className="sm dim">{title}</span>
            {says.map((one) => (
              <span key={one} className="med step-name" dir="auto">
                {one}
              </span>
            ))}
          </span>
        </button>
      </div>
      {!isOpen && <StepFaults faults={faults.get(place)} />}
      {isOpen && (
        // biome-ignore lint/a11y/useSemanticElements: it is a part of the list's item, and no landmark.
        <div className="step-panel" id={panel} role="group" aria-label={title}>
          <StepFaults faults={faults.get(place)?.filter(({ part }) => part === "")} />
          {children}
        </div>
      )}
    </li>
  );
}
