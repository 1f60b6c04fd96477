/** Asks for a preview while somebody types: soon after a key, and never for what nobody will see. */

export type Previewer<I> = {
  /** Asks for this after a pause. What is asked for already may still be shown until it is there. */
  change(input: I, pauseMs: number): void;
  stop(): void;
};

type Options<I, R> = {
  readonly ask: (input: I, signal: AbortSignal) => Promise<R>;
  readonly show: (result: R, input: I) => void;
  readonly fail: (error: unknown, input: I) => void;
};

/** With one question at a time nothing would be shown until somebody stops to type, since each ends the one before. */
const MOST_AT_ONCE = 2;

type Asked = { readonly number: number; readonly abort: AbortController };

export function createPreviewer<I, R>({ ask, show, fail }: Options<I, R>): Previewer<I> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let shown = 0;
  let underWay: readonly Asked[] = [];

  async function begin(input: I): Promise<void> {
    const asked = { number: ++last, abort: new AbortController() };
    const { number, abort } = asked;
    while (underWay.length >= MOST_AT_ONCE) {
      underWay[0]?.abort.abort();
      underWay = underWay.slice(1);
    }
    underWay = [...underWay, asked];
    try {
      const result = await ask(input, abort.signal);
      if (!abort.signal.aborted && number > shown) {
        shown = number;
        show(result, input);
      }
    } catch (error) {
      // A letter is wrong until the next ones are there, so only the newest fault is told.
      if (!abort.signal.aborted && number === last) fail(error, input);
    } finally {
      underWay = underWay.filter((one) => one !== asked);
    }
  }

  return {
    change(input, pauseMs) {
      clearTimeout(timer);
      timer = setTimeout(() => void begin(input), pauseMs);
    },
    stop() {
      clearTimeout(timer);
      for (const { abort } of underWay) abort.abort();
      underWay = [];
    },
  };
}
