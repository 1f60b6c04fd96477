/**
 * Bounds the bytes of messages that are composed and wait to be sent: two hundred mails with 18 MB of attachments each would otherwise be
 * in memory at once. Whoever composes more waits until enough was sent.
 */
export type MessageMemory = {
  /** Resolves when less is held than may be. What is composed then may go beyond it once. */
  untilRoom(): Promise<void>;
  /** Holds a message, and returns how to let it go. One that several recipients share counts once. */
  hold(message: Buffer): () => void;
};

export function createMessageMemory(mostBytes: number, whole?: MessageMemory): MessageMemory {
  const holders = new Map<Buffer, number>();
  let bytes = 0;
  let waiting: (() => void)[] = [];

  function letGo(message: Buffer): void {
    const left = (holders.get(message) ?? 1) - 1;
    if (left > 0) return void holders.set(message, left);
    holders.delete(message);
    bytes -= message.length;
    if (bytes >= mostBytes) return;
    const woken = waiting;
    waiting = [];
    for (const wake of woken) wake();
  }

  return {
    async untilRoom() {
      while (bytes >= mostBytes) await new Promise<void>((resolve) => waiting.push(resolve));
      await whole?.untilRoom();
    },
    hold(message) {
      const known = holders.get(message) ?? 0;
      if (known === 0) bytes += message.length;
      holders.set(message, known + 1);
      const letGoOfWhole = whole?.hold(message);
      return () => {
        letGo(message);
        letGoOfWhole?.();
      };
    },
  };
}
