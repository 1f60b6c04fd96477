/** What the address of the wizard holds: for whom, which step, and the list that was looked at before. */
export const STEPS = ["file", "columns", "try", "consent"] as const;
export type Step = (typeof STEPS)[number];

export type WizardSearch = {
  readonly for?: "suppressions" | undefined;
  readonly step?: Step | undefined;
  readonly list?: string | undefined;
};

export function readWizardSearch(given: Record<string, unknown>): WizardSearch {
  const { list } = given;
  return {
    for: given["for"] === "suppressions" ? "suppressions" : undefined,
    step: STEPS.find((one) => one === given["step"]),
    list: typeof list === "string" && list !== "" ? list : undefined,
  };
}
