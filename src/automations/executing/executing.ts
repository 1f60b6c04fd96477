/** Leads people through automations: due runs are taken in sets, and each goes on from step to step until it waits or has ended. */
export { advanceDue, type ExecutorTools } from "./advance.ts";
export { closeOldWaves, startExecutor } from "./driver.ts";
export { automationOwner } from "./owner.ts";
export { closeWavesOf } from "./waves.ts";
