/** Runs the program itself as it is started by `npm start`, in a process of its own. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Program, startProgram } from "./program.ts";

export const SECRET_KEY = "a secret key for benches of 32 characters or more";

export type StartedService = { readonly program: Program; readonly port: number };

export type ServiceSettings = {
  readonly databaseUrl: string;
  /** A folder in which the service gets one of its own, named by its roles. */
  readonly folder: string;
  readonly roles: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** Starts it and waits until it is ready. */
export async function startService(settings: ServiceSettings): Promise<StartedService> {
  const { databaseUrl, folder, roles, env } = settings;
  // The service starts in an empty folder, so that a developer's own `.env` has no effect.
  const cwd = join(folder, `service-${roles}`);
  mkdirSync(cwd);
  const program = startProgram({
    file: join(import.meta.dirname, "../../src/main.ts"),
    cwd,
    env: {
      PORT: "0",
      DATA_DIR: cwd,
      DATABASE_URL: databaseUrl,
      SECRET_KEY,
      ROLES: roles,
      LOG_FORMAT: "json",
      ...env,
    },
  });
  try {
    return { program, port: await hearPort(program) };
  } catch (error) {
    await program.stop();
    throw error;
  }
}

function hearPort(program: Program): Promise<number> {
  return program.hear((said) => {
    const port = /"address":"http:[^"]*:(\d+)".*"message":"ready"/.exec(String(said))?.[1];
    return port === undefined ? undefined : Number(port);
  });
}
