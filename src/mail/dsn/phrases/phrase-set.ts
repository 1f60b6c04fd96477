/**
 * Sets of phrases, each phrase the source of a regular expression. A set is tested as one pattern, but every phrase can be
 * named: `npm run score` asks which phrases fired in which mails, and reads a family of mail servers without those that only
 * this family has (docs/decisions/0033-weighed-evidence.md).
 */
export type PhraseSet = {
  readonly test: (text: string) => boolean;
  /** Returns what the first group of the phrase that matches holds, or null. */
  readonly capture: (text: string) => string | null;
  /** Returns the text without what the phrases match. */
  readonly strip: (text: string) => string;
};

const compilers: (() => void)[] = [];
let isLeftOut: (phrase: string) => boolean = () => false;
let onFired: ((phrase: string) => void) | null = null;

const NEVER = /(?!)/u;

/** Joins many alternatives, each a regular expression's source, into one pattern. */
export function anyOf(...sources: readonly string[]): PhraseSet {
  return makeSet(sources, "u");
}

export function makeSet(sources: readonly string[], flags: string): PhraseSet {
  let pattern = NEVER;
  let singly: readonly (readonly [phrase: string, pattern: RegExp])[] | null = null;
  const compile = () => {
    const kept = sources.filter((source) => !isLeftOut(source));
    pattern = kept.length === 0 ? NEVER : new RegExp(kept.join("|"), flags);
  };
  compile();
  compilers.push(compile);
  const watch = (text: string) => {
    singly ??= sources.map((source) => [source, new RegExp(source, flags)] as const);
    for (const [phrase, one] of singly) if (one.test(text)) onFired?.(phrase);
  };
  return {
    test: (text) => {
      if (onFired) watch(text);
      return pattern.test(text);
    },
    capture: (text) => {
      if (onFired) watch(text);
      return (
        pattern
          .exec(text)
          ?.slice(1)
          .find((group) => group !== undefined) ?? null
      );
    },
    strip: (text) => {
      if (onFired) watch(text);
      return text.replace(new RegExp(pattern, `${flags}g`), " ");
    },
  };
}

/** Reads with some phrases left out of every set. `read` must be synchronous; the sets are whole again afterwards. */
export function readWithout<T>(isLeft: (phrase: string) => boolean, read: () => T): T {
  isLeftOut = isLeft;
  for (const compile of compilers) compile();
  try {
    return read();
  } finally {
    isLeftOut = () => false;
    for (const compile of compilers) compile();
  }
}

/** Reads and tells each phrase that fires on the way. */
export function readWatched<T>(fired: (phrase: string) => void, read: () => T): T {
  onFired = fired;
  try {
    return read();
  } finally {
    onFired = null;
  }
}
