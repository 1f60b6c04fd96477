import { Readable } from "node:stream";

/** The end of a stream of events that its reader sees. However slowly it reads, no more than the newest waits for it. */
export type Outlet = {
  readonly readable: Readable;
  /** Takes the place of an event that nobody has fetched yet. */
  offer(event: Buffer): void;
  /** Nothing, where something waits already. */
  comment(text: string): void;
  /** After what waits. */
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
