/** How steps look, and what a new one begins with. */
import type { TFunction } from "i18next";
import {
  BellRing,
  CircleCheck,
  CircleHelp,
  Clock,
  Flag,
  GitBranch,
  Hourglass,
  List,
  type LucideIcon,
  Mail,
  Split,
  SquarePen,
  Tag,
  UserMinus,
  Webhook,
} from "lucide-react";
import type { Json, StepType } from "../graph/draft.ts";
import { documentOf } from "../list/starts.ts";

export const STEP_ICONS: Readonly<Record<StepType | "unknown", LucideIcon>> = {
  email: Mail,
  wait: Hourglass,
  wait_for: Clock,
  branch: GitBranch,
  split: Split,
  goal: Flag,
  tag: Tag,
  field: SquarePen,
  list: List,
  notify: BellRing,
  webhook: Webhook,
  unsubscribe: UserMinus,
  end: CircleCheck,
  unknown: CircleHelp,
};

/** What isn't known yet is left out: the service says that it is wanted. */
export function newStep(type: StepType, t: TFunction): Json {
  switch (type) {
    case "email":
      return { type, subject: "", blocks: documentOf(t, t("starts.begin")) };
    case "wait":
      return { type, for: "P1D" };
    case "wait_for":
      return { type, on: [{ type: "event" }], timeout: "P7D" };
    case "branch":
      return { type, ways: [{}] };
    case "split":
      return { type, ways: [{ percent: 50 }, { percent: 50 }] };
    case "list":
      return { type, action: "add" };
    default:
      return { type };
  }
}
