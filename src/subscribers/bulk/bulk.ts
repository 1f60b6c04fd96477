/**
 * A bulk change does one thing to many subscribers: to all whom a filter leaves, or to some that are named. Whom it is for is
 * written down when it begins; then they are changed in slices, each in a transaction of its own.
 */
export { forgetInBulkChanges } from "./bulk-life.ts";
export { changePeople, type PeopleChange } from "./change-people.ts";
export { bulkChangeJobs } from "./jobs.ts";
