import { existsSync } from "node:fs";
import type { ServerUser } from "./server-user.ts";

export type ServerSettings = Record<string, string>;

/**
 * These are passed on the command line, so that a data directory made by an older version gets them too.
 * synchronous_commit must never be off.
 */
const SETTINGS: ServerSettings = {
  listen_addresses: "",
  port: "5432",
  max_connections: "100",
  shared_buffers: "128MB",
  jit: "off",
  random_page_cost: "1.1",
  max_wal_size: "2GB",
  wal_compression: "on",
  checkpoint_timeout: "15min",
  timezone: "UTC",
  log_timezone: "UTC",
  // postgres.log keeps what an operator needs and no statement, parameter or row, since they hold addresses.
  log_min_messages: "warning",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_parameter_max_length: "0",
  log_parameter_max_length_on_error: "0",
  log_checkpoints: "off",
};

export function serverArguments(options: {
  pgDir: string;
  socketDir: string;
  user: ServerUser | undefined;
  settings: ServerSettings;
}): string[] {
  const { pgDir, socketDir, user, settings } = options;
  // A relative socket folder has neither a length limit nor characters that PostgreSQL's list would split at.
  const socket = socketDir === pgDir ? "." : socketDir;
  const all = Object.entries({ ...SETTINGS, ...settings });
  const pairs = all.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", dataArgument(pgDir, user), "-k", socket, ...pairs];
}

/**
 * Another user may be unable to walk to the data directory (a clone under /root, mode 0700). The server starts inside it,
 * since the working directory is set before the user, and on Linux it can name that place without walking there.
 */
export function dataArgument(folder: string, user: ServerUser | undefined): string {
  return user && existsSync("/proc/self/cwd") ? "/proc/self/cwd" : folder;
}
