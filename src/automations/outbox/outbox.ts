/**
 * What steps tell others: programs by HTTP, people of the account by mail. The step writes a row in its own commit, and a runner of the `jobs`
 * role tells it from there, so nobody waits for a receiver, and a crash loses nothing. What is posted twice has the same id.
 */
export { emptyOutbox, putIntoOutbox } from "./outbox-store.ts";
export { startOutbox } from "./runner.ts";
export { resealStepSecrets } from "./secret.ts";
