/**
 * A reason not to start that a person can act on. `main.ts` and `cli/cli.ts` print its two lines and exit with 1; any
 * other error at start is a bug and is printed with its stack.
 */
export class StartupError extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string, options?: ErrorOptions) {
    super(problem, options);
    this.name = "StartupError";
    this.remedy = remedy;
  }
}
