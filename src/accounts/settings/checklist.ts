/** The steps of the first days that the dashboard shows. What is done it sees by itself; here is what somebody skipped. */
export const CHECKLIST_STEPS = ["sender", "tracking", "subscribers", "sending_server", "campaign"] as const;
export type ChecklistStep = (typeof CHECKLIST_STEPS)[number];
