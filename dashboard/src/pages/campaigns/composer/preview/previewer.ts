/** Asks for a preview while somebody types: soon after a key, one at a time, and never for what nobody will see. */

export type Previewer<I> = {
  /** Asks for this after a pause, and after the answer to what is asked for already. */
  change(input: I, pauseMs: number): void;
  stop(): void;
};

type Options<I, R> = {
  readonly ask: (input: I, signal: AbortSignal) => Promise<R>;
  readonly show: (result: R, input: I) => void;
  readonly fail: (error: unknown, input: I) => void;
};

/** Who waits longer than this for a mail that takes long to render wants to see the newest, and not that one. */
const WAIT_AT_MOST_MS = 1_000;

export function createPreviewer<I, R>({ ask, show, fail }: Options<I, R>): Previewer<I> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let underWay: AbortController | undefined;
  let next: { readonly input: I } | undefined;

  async function begin(input: I): Promise<void> {
    underWay?.abort();
    const mine = new AbortController();
    underWay = mine;
    next = undefined;
    try {
      const result = await ask(input, mine.signal);
      if (!mine.signal.aborted) show(result, input);
    } catch (error) {
      // A letter is wrong until the next ones are there, so only the newest fault is told.
      if (!mine.signal.aborted && !isWaiting()) fail(error, input);
    }
    if (mine.signal.aborted) return;
    underWay = undefined;
    goOn();
  }

  function goOn(): void {
    if (!next) return;
    clearTimeout(timer);
    void begin(next.input);
  }

  const isWaiting = () => next !== undefined;

  function beginOrWait(input: I): void {
    if (!underWay) {
      void begin(input);
      return;
    }
    next = { input };
    timer = setTimeout(() => void begin(input), WAIT_AT_MOST_MS);
  }

  return {
    change(input, pauseMs) {
      clearTimeout(timer);
      next = undefined;
      timer = setTimeout(() => beginOrWait(input), pauseMs);
    },
    stop() {
      clearTimeout(timer);
      underWay?.abort();
    },
  };
}
