import type pg from "pg";
import type { Sql } from "sql-template-tag";

type Row = Record<string, unknown>;

/**
 * A connection for reading. Code that changes rows asks for a `Writable`, so that a read-only connection can't be passed
 * to it.
 */
export type Queryable = {
  many<T extends Row>(statement: Sql): Promise<T[]>;
  /** Returns the only row, and throws where there is none or more than one, since that is a bug. */
  one<T extends Row>(statement: Sql): Promise<T>;
  maybeOne<T extends Row>(statement: Sql): Promise<T | undefined>;
};

export type Writable = Queryable & {
  /** Returns how many rows the statement touched. */
  execute(statement: Sql): Promise<number>;
};

export function queryable(ask: (statement: Sql) => Promise<pg.QueryResult>): Writable {
  return {
    async many<T extends Row>(statement: Sql) {
      return (await ask(statement)).rows as T[];
    },
    async one<T extends Row>(statement: Sql) {
      const { rows } = await ask(statement);
      if (rows.length !== 1) throw new Error(`one row was expected, ${rows.length} came`);
      return rows[0] as T;
    },
    async maybeOne<T extends Row>(statement: Sql) {
      const { rows } = await ask(statement);
      if (rows.length > 1) throw new Error(`at most one row was expected, ${rows.length} came`);
      return rows[0] as T | undefined;
    },
    async execute(statement) {
      return (await ask(statement)).rowCount ?? 0;
    },
  };
}
