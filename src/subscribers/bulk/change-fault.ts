/** A bulk change can't go on: what it names is gone. The change fails with this code, and what was done by then stays. */
export class ChangeFault extends Error {
  readonly code: string;
  constructor(code: string, detail: string) {
    super(detail);
    this.code = code;
  }
}
