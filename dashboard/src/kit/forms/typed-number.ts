import type { Values } from "./form.tsx";

/** The number that was typed, or null. What is no number is sent as it was typed, and the answer says what is wrong with it. */
export function typedNumber(values: Values, name: string): number | null {
  const text = values.textOrNull(name);
  const number = Number(text);
  return text === null ? null : Number.isNaN(number) ? (text as unknown as number) : number;
}
