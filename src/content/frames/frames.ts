/** This room shows a mail in a page of ours: in a frame where nothing of it runs, with its links marked where a report asks for it. */
export { authorFrame, placeInHead } from "./author-frame.ts";
export { mountAuthorFrame } from "./frame-route.ts";
export { type LinkMark, markLinks } from "./link-marks.ts";
