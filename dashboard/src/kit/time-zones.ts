import type { Option } from "./forms/field.tsx";

/** Every zone that this browser knows, and UTC, which some leave out. */
export function timeZoneOptions(also?: string): readonly Option[] {
  const zones = new Set(["UTC", ...(also ? [also] : []), ...Intl.supportedValuesOf("timeZone")]);
  return [...zones].map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
}
