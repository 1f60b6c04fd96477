/** Reads what properties of a custom event must be, as triggers of automations and rules of segments write it. */

const MOST_CONDITIONS = 10;
const LONGEST_VALUE = 500;
const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

export type PropertyConditions = Readonly<Record<string, string | number | boolean>>;

/** Names every fault, each with the name of the property, or with none for all of them together. */
export function readConditions(
  given: Readonly<Record<string, unknown>>,
  fault: (name: string | undefined, code: string, detail: string) => void,
): PropertyConditions {
  const entries = Object.entries(given);
  if (entries.length > MOST_CONDITIONS) fault(undefined, "too_many", `at most ${MOST_CONDITIONS} properties`);
  for (const [name, value] of entries) {
    const isGood =
      typeof value === "boolean" ||
      (typeof value === "number" && Number.isFinite(value)) ||
      (typeof value === "string" && value.length <= LONGEST_VALUE);
    if (!PROPERTY_NAME.test(name)) fault(name, "invalid_value", "isn't the name of a property");
    else if (!isGood) fault(name, "invalid_type", "must be text, a number, true or false");
  }
  return given as PropertyConditions;
}
