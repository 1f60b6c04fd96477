/** The lines in which two texts differ, with what stands around them. */

export type LineChanges = {
  /** How many lines before are the same in both. */
  readonly before: number;
  readonly one: readonly string[];
  readonly other: readonly string[];
  readonly after: number;
};

/** Both ends that are the same are left out: what one person changes stands mostly in one place. */
export function lineChanges(one: string, other: string): LineChanges {
  const left = one.split("\n");
  const right = other.split("\n");
  const most = Math.min(left.length, right.length);
  let before = 0;
  while (before < most && left[before] === right[before]) before++;
  let after = 0;
  while (after < most - before && left.at(-1 - after) === right.at(-1 - after)) after++;
  return {
    before,
    one: left.slice(before, left.length - after),
    other: right.slice(before, right.length - after),
    after,
  };
}
