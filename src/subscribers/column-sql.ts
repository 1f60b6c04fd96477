/** The columns of `subscribers` as pieces of statements. Every name is from the table in `columns.ts`, so none is a client's. */
import { raw, type Sql } from "../platform/db/db.ts";
import { COLUMN_NAMES, COLUMNS, type ColumnName, PLAIN_NAMES } from "./columns.ts";

type Names = readonly ColumnName[];

function listed(names: Names, write: (name: ColumnName) => string, separator = ", "): Sql {
  return raw(names.map(write).join(separator));
}

/** All columns of `subscribers s`. */
export const allColumns = listed(COLUMN_NAMES, (name) => `s.${name}`);

/** What an insert is given with each row; the account stands once in the statement. */
const insertedNames = COLUMN_NAMES.filter((name) => name !== "account_id");
export const insertedColumns = listed(insertedNames, (name) => name);
export const insertedTypes = listed(insertedNames, (name) => `${name} ${COLUMNS[name].type}`);

/** What an update writes, from a record `new`. */
const changingNames = COLUMN_NAMES.filter((name) => !COLUMNS[name].isFixed);
export const changingTypes = listed(changingNames, (name) => `${name} ${COLUMNS[name].type}`);
export const changesFromNew = listed(changingNames, (name) => `${name} = new.${name}`);

export const plainColumns = listed(PLAIN_NAMES, (name) => name);
/** A file's empty cells come as null, and leave `subscribers s` as it is. */
export const plainMergedFromNew = listed(PLAIN_NAMES, (name) => `${name} = coalesce(new.${name}, s.${name})`);
export const plainDiffersFromNew = listed(
  PLAIN_NAMES,
  (name) => `coalesce(new.${name}, s.${name}) is distinct from s.${name}`,
  " or ",
);

/** A column of `subscribers s` in the form in which segments compare it. */
export function comparedColumn(name: ColumnName): Sql {
  return raw(`s.${COLUMNS[name].segment?.comparedBy ?? name}`);
}
