import type { Import } from "./openapi.ts";

const MOVING: readonly Import["status"][] = ["pending", "running", "undoing"];

/** Whether its numbers may still change by themselves. */
export const isMoving = ({ status }: Pick<Import, "status">) => MOVING.includes(status);
