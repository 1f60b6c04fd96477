/**
 * A body that is written in pieces, of which each is heard of when it has left: its memory may be used again then. As garbage, pieces would
 * wait by tens of megabytes until the engine counts them, since they take next to nothing of its heap.
 */
import { Readable, type Writable } from "node:stream";

export type PieceStream = {
  /** Is handed to whoever answers. It can be piped, and nothing else. */
  readonly readable: Readable;
  /** Resolves when somebody reads it, and rejects where it is destroyed before. */
  readonly piped: Promise<unknown>;
  /** Resolves when the piece has left, and rejects where the reader has gone. One is written after the other. */
  write(piece: Uint8Array): Promise<void>;
  end(): void;
};

export function createPieceStream(): PieceStream {
  const piped = Promise.withResolvers<Writable>();
  const readable = new Readable({ read: () => undefined });
  readable.pipe = (to) => {
    piped.resolve(to as unknown as Writable);
    // What was pushed is the end alone, and somebody has to take it.
    readable.resume();
    return to;
  };
  readable.once("close", () => piped.reject(new Error("the body was given up")));
  piped.promise.catch(() => undefined);
  return {
    readable,
    piped: piped.promise,
    async write(piece) {
      const to = await piped.promise;
      await new Promise<void>((resolve, reject) => {
        to.once("close", gone);
        to.write(piece, (error) => {
          to.off("close", gone);
          if (error) reject(error);
          else resolve();
        });
        function gone() {
          reject(new Error("the reader has gone"));
        }
      });
    },
    end() {
      piped.promise.then(
        (to) => {
          to.end();
          readable.push(null);
        },
        () => undefined,
      );
    },
  };
}
