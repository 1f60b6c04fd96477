/** Pacing decides which message goes next on a transport, how many are under way at once, and how many are sent a second. */
export { createDispatcher, type Dispatcher } from "./dispatcher.ts";
export { createMessageMemory, type MessageMemory } from "./message-memory.ts";
export { createRate } from "./rate.ts";
