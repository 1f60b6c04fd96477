/**
 * A core for the sink and the others for who sends, as if they were two machines. Left to itself, Linux puts both ends of
 * a busy local conversation on one core in some rounds and on two in others: here 5,800 and 10,500 messages a second.
 */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";

const TASKSET = "/usr/bin/taskset";
const lastCore = cpus().length - 1;

export function keepSinkApart(pid: number): boolean {
  return keepOn(String(lastCore), pid);
}

/** The main thread alone: what collects garbage beside it may do so anywhere. */
export function keepSenderApart(pid: number): boolean {
  return keepOn(`0-${lastCore - 1}`, pid);
}

/** All of its threads, those that it starts later too. */
export function keepProgramApart(pid: number): boolean {
  return keepOn(`0-${lastCore - 1}`, pid, "--all-tasks");
}

/** With two cores it shares the sink's, and what the program wakes isn't put in its own way; with more it needs no help. */
export function keepDatabaseApart(pid: number): boolean {
  return lastCore === 1 && keepOn(String(lastCore), pid);
}

/** All cores again, for what it starts from now on. */
export function letGo(pid: number): boolean {
  return keepOn(`0-${lastCore}`, pid);
}

/** False where there is one core only, or no taskset (package util-linux), or the cores aren't ours to choose. */
function keepOn(cores: string, pid: number, ...more: string[]): boolean {
  if (lastCore < 1) return false;
  try {
    execFileSync(TASKSET, [...more, "--cpu-list", "--pid", cores, String(pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
