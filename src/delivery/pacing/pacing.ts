/** Pacing: which message goes next on a transport, how many at once, and how many a second. */
export { createDispatcher, type Dispatcher } from "./dispatcher.ts";
export { createRate } from "./rate.ts";
