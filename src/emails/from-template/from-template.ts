/** Mail that is made from a template. */
export { fillIn } from "./fill-in.ts";
export { scheduledEmailFrom } from "./template-use.ts";
