/**
 * All data of an account together: what is exported of it as one stream, and how everything is deleted in the end. It stands above the folders
 * whose tables these are, and knows each table by name (`tables/tables.ts`). This file is what other folders may use.
 */
export { TABLES } from "./tables/tables.ts";
