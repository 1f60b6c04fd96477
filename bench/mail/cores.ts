/**
 * Gives one core to the sink and the others to the sender, as if they were two machines. Left to itself, Linux puts
 * both ends of a busy local connection on one core in some rounds and on two in others: here 5,800 and 10,500
 * messages a second.
 */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";

const TASKSET = "/usr/bin/taskset";
const lastCore = cpus().length - 1;

export function keepSinkApart(pid: number): boolean {
  return keepOn(String(lastCore), pid);
}

/** Moves the main thread alone; the threads that collect garbage may run anywhere. */
export function keepSenderApart(pid: number): boolean {
  return keepOn(`0-${lastCore - 1}`, pid);
}

/** Moves all threads of a program, also those that it starts later. */
export function keepProgramApart(pid: number): boolean {
  return keepOn(`0-${lastCore - 1}`, pid, "--all-tasks");
}

/**
 * Puts PostgreSQL on the sink's core where there are two, so that processes which the program wakes don't get in its
 * way. With more cores nothing is needed.
 */
export function keepDatabaseApart(pid: number): boolean {
  return lastCore === 1 && keepOn(String(lastCore), pid);
}

/** Allows all cores again to what the process starts from now on. */
export function letGo(pid: number): boolean {
  return keepOn(`0-${lastCore}`, pid);
}

/** Returns false where there is one core only, no taskset (package util-linux), or no permission to choose cores. */
function keepOn(cores: string, pid: number, ...more: string[]): boolean {
  if (lastCore < 1) return false;
  try {
    execFileSync(TASKSET, [...more, "--cpu-list", "--pid", cores, String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
