/** Delivers webhooks in a process of its own, to be killed from outside. Usage: webhook-process.ts DATABASE_URL */
import { startEngine } from "../test/support/webhook-engine.ts";

startEngine({ databaseUrl: process.argv[2] ?? "" });
process.stdout.write("ready\n");
