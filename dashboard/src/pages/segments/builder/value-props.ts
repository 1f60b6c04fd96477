import type { Kind, Shape } from "../rules/subjects.ts";

export type ValueProps = {
  kind: Kind;
  shape: Shape;
  value: unknown;
  /** What lists and campaigns are called, by id. */
  names: Readonly<Record<string, string>>;
  isBad: boolean;
  onChange: (value: unknown) => void;
  /** A campaign was chosen, and this is what it is called. */
  onNamed: (id: string, name: string) => void;
};
