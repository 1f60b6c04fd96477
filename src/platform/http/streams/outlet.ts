import { Readable } from "node:stream";

/** A stream of server-sent events. However slowly its reader reads, no more than the newest event waits for it. */
export type Outlet = {
  readonly readable: Readable;
  /** Offers an event, which takes the place of one that nobody has fetched yet. */
  offer(event: Buffer): void;
  /** Tells whether an event is still there that nobody has fetched. */
  isWaiting(): boolean;
  /** Sends a comment that keeps proxies from closing the stream; it does nothing where an event waits already. */
  comment(text: string): void;
  /** Ends the stream behind what waits. */
  end(event?: Buffer): void;
};

export function createOutlet(): Outlet {
  let wants = false;
  let waiting: Buffer | undefined;
  let isEnding = false;
  const readable = new Readable({
    read() {
      wants = true;
      flush();
    },
  });

  function flush(): void {
    if (!wants || readable.destroyed) return;
    if (waiting) {
      const event = waiting;
      waiting = undefined;
      wants = readable.push(event);
    }
    if (isEnding) {
      wants = false;
      readable.push(null);
    }
  }

  return {
    readable,
    offer(event) {
      if (isEnding) return;
      waiting = event;
      flush();
    },
    isWaiting: () => waiting !== undefined,
    comment(text) {
      if (waiting || !wants || isEnding) return;
      wants = readable.push(`: ${text}\n\n`);
    },
    end(event) {
      if (isEnding) return;
      isEnding = true;
      if (event) waiting = waiting ? Buffer.concat([waiting, event]) : event;
      flush();
    },
  };
}
