/**
 * This file writes the columns of `subscribers` as pieces of statements. Every name is from `columns.ts`, so none is a
 * client's.
 */
import { raw, type Sql } from "../platform/db/db.ts";
import { COLUMN_NAMES, COLUMNS, type ColumnName, PLAIN_NAMES } from "./columns.ts";

type Names = readonly ColumnName[];

function listed(names: Names, write: (name: ColumnName) => string, separator = ", "): Sql {
  return raw(names.map(write).join(separator));
}

/** These are all columns of `subscribers s`. */
export const allColumns = listed(COLUMN_NAMES, (name) => `s.${name}`);

/** An insert is given these with each row; the account stands once in the statement. */
const insertedNames = COLUMN_NAMES.filter((name) => name !== "account_id");
export const insertedColumns = listed(insertedNames, (name) => name);
export const insertedTypes = listed(insertedNames, (name) => `${name} ${COLUMNS[name].type}`);

/** An update writes these from a record `new`. */
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

/** Returns the column of `subscribers s` that segments compare in place of this one, which mostly is the same. */
export function comparedColumn(name: ColumnName): Sql {
  return raw(`s.${COLUMNS[name].segment?.comparedBy ?? name}`);
}
