/**
 * Threads for what may run away: each does one task at a time, and is killed and replaced when it takes too long. A
 * task's time counts from when a thread that is ready gets it; a compile or a check waits for that no longer than it may
 * then take, so that whoever saves a content has an answer within twice the limit, whatever others have sent. The account
 * that used the least of their time lately goes first, and one whose content had to be stopped gets no second thread for a while.
 */
import { Worker } from "node:worker_threads";
import type { Message } from "./checks/checks.ts";
import type { ContentSource } from "./compile.ts";
import type { CompiledContent } from "./compiled.ts";
import { type ContentFault, faultWithoutPlace, isRunaway } from "./faults.ts";
import type { MergeData } from "./merge.ts";
import type { Values, ValuesFault } from "./render.ts";
import {
  type Answer,
  type Checked,
  type Compiled,
  type Faulty,
  MAX_KEPT_CONTENTS,
  type Task,
} from "./tasks.ts";
import { createThreadQueue } from "./thread-queue.ts";

export type ContentWorkers = {
  readonly compile: (source: ContentSource, accountId: string) => Promise<Compiled | Faulty>;
  /** What is wrong with a mail that one recipient would get. Half a second for a hostile one, so not in the API's thread. */
  readonly check: (message: Message, accountId: string) => Promise<Checked | Faulty>;
  /** The values of one recipient, whatever the content's Liquid. Waits as long as it must. */
  readonly render: (
    compiled: CompiledContent,
    recipient: MergeData,
    accountId: string,
  ) => Promise<Values | ValuesFault>;
  /** Kills the threads; what is under way or waits answers with a fault. */
  readonly close: () => Promise<void>;
};

export type WorkerLimits = {
  readonly threads: number;
  readonly compileTimeoutMs: number;
  readonly renderTimeoutMs: number;
  readonly memoryMb: number;
};

type Job = {
  readonly accountId: string;
  readonly timeoutMs: number;
  readonly settle: (answer: Answer) => void;
  /** Runs while it waits, where it doesn't wait for ever. */
  readonly waitTimer: NodeJS.Timeout | undefined;
} & (
  | { readonly kind: "compile"; readonly source: ContentSource }
  | { readonly kind: "check"; readonly message: Message }
  | { readonly kind: "render"; readonly compiled: CompiledContent; readonly recipient: MergeData }
);

type Thread = {
  readonly worker: Worker;
  /** The keys of the contents it has, oldest first. */
  readonly kept: Set<string>;
  isReady: boolean;
  job: Job | null;
  jobSinceMs: number;
  timer: NodeJS.Timeout | undefined;
};

/** Loading the program on a machine that is busy otherwise. */
const START_TIMEOUT_MS = 60_000;

/** No secret; only where compiled code is kept, without which each thread strips types anew: 0.1 s and 25 MB. */
const THREAD_ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === "NODE_COMPILE_CACHE"),
);

const MAX_WAITING = 1_000;
/** Of one account: what is compiled or checked may be a megabyte, while recipients share their content. */
const MAX_WAITING_EACH = { compile: 50, check: 50, render: 500 };

/** Threads start with the first task. */
export function startContentWorkers(limits: WorkerLimits): ContentWorkers {
  const threads = new Set<Thread>();
  const queue = createThreadQueue<Job>(limits.threads, () => performance.now());
  let isClosed = false;

  /** A job belongs to no thread that isn't ready: starting one takes seconds where others need the processor. */
  function assignJobs(): void {
    if (isClosed) return;
    for (const thread of threads) {
      const job = thread.isReady && !thread.job && queue.take();
      if (job) beginJob(thread, job);
    }
    const starting = [...threads].filter(({ isReady }) => !isReady).length;
    const wanted = Math.min(queue.size() - starting, limits.threads - threads.size);
    for (let count = 0; count < wanted; count++) startThread();
  }

  function beginJob(thread: Thread, job: Job): void {
    clearTimeout(job.waitTimer);
    thread.job = job;
    thread.jobSinceMs = performance.now();
    thread.worker.ref();
    thread.timer = afterAnswers(job.timeoutMs, () => {
      if (thread.job === job) discard(thread, tooSlow(job.timeoutMs));
    });
    thread.worker.postMessage(toTask(thread, job));
  }

  function startThread(): void {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), {
      env: THREAD_ENVIRONMENT,
      resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb, maxYoungGenerationSizeMb: 32 },
    });
    const thread: Thread = {
      worker,
      kept: new Set(),
      isReady: false,
      job: null,
      jobSinceMs: 0,
      timer: undefined,
    };
    thread.timer = afterAnswers(START_TIMEOUT_MS, () => {
      if (!thread.isReady) discard(thread, workerFailed("its thread didn't start"));
    });
    threads.add(thread);
    worker.on("message", (answer: Answer) => hear(thread, answer));
    worker.on("error", (error: Error & { code?: string }) => {
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      discard(thread, isMemory ? tooMuchMemory(limits.memoryMb) : workerFailed(error.message));
    });
    worker.on("exit", () => discard(thread, workerFailed("its thread ended")));
  }

  function hear(thread: Thread, answer: Answer): void {
    const { job } = thread;
    thread.isReady = true;
    endJob(thread);
    if (job && hasRunAway(answer)) queue.ranAway(job.accountId);
    job?.settle(answer);
    assignJobs();
  }

  function endJob(thread: Thread): void {
    clearTimeout(thread.timer);
    if (thread.job) queue.ended(thread.job.accountId, performance.now() - thread.jobSinceMs);
    thread.job = null;
    // An idle thread keeps no process alive.
    thread.worker.unref();
  }

  function discard(thread: Thread, fault: ContentFault): void {
    if (!threads.delete(thread)) return;
    // Where no thread can start, each attempt answers one job: nobody waits for ever.
    if (!thread.isReady) {
      thread.job = queue.take() ?? null;
      thread.jobSinceMs = performance.now();
    }
    const { job } = thread;
    clearTimeout(job?.waitTimer);
    endJob(thread);
    void thread.worker.terminate();
    const answer: Answer = { kind: "failed", faults: [fault] };
    if (job && hasRunAway(answer)) queue.ranAway(job.accountId);
    job?.settle(answer);
    assignJobs();
  }

  function run(task: Unsettled): Promise<Answer> {
    return new Promise((settle) => {
      if (isClosed) return settle(stopping);
      const { accountId } = task;
      const isCrowded = queue.size() >= MAX_WAITING || queue.sizeOf(accountId) >= MAX_WAITING_EACH[task.kind];
      if (isCrowded) return settle(crowded);
      const giveUp = () => {
        if (queue.remove(accountId, job)) settle(crowded);
      };
      const waitTimer = task.kind !== "render" ? afterAnswers(task.timeoutMs, giveUp) : undefined;
      const job: Job = { ...task, settle, waitTimer };
      queue.add(accountId, job);
      assignJobs();
    });
  }

  return {
    async compile(source, accountId) {
      const answer = await run({ kind: "compile", source, accountId, timeoutMs: limits.compileTimeoutMs });
      return answer.kind === "compiled" ? answer.result : { ok: false, faults: faultsOf(answer) };
    },
    async check(message, accountId) {
      const answer = await run({ kind: "check", message, accountId, timeoutMs: limits.compileTimeoutMs });
      return answer.kind === "checked" ? answer.result : { ok: false, faults: faultsOf(answer) };
    },
    async render(compiled, recipient, accountId) {
      const timeoutMs = limits.renderTimeoutMs;
      const answer = await run({ kind: "render", compiled, recipient, accountId, timeoutMs });
      if (answer.kind === "rendered") return answer.result;
      return { ok: false, fault: faultsOf(answer)[0] ?? workerFailed("it gave no answer") };
    },
    async close() {
      isClosed = true;
      const workers = [...threads].map(({ worker }) => worker);
      for (const { settle, waitTimer } of queue.clear()) {
        clearTimeout(waitTimer);
        settle(stopping);
      }
      for (const thread of threads) discard(thread, workerFailed("the service is stopping"));
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

type Unsettled = Job extends infer One
  ? One extends Job
    ? Omit<One, "settle" | "waitTimer">
    : never
  : never;

/**
 * When this thread was busy for long, a time-out and an answer are both due, and timers come first. So one turn of the
 * event loop is left to answers that are here already.
 */
function afterAnswers(timeoutMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), timeoutMs);
}

function toTask({ kept }: Thread, job: Job): Task {
  if (job.kind === "compile") return { kind: "compile", source: job.source };
  if (job.kind === "check") return { kind: "check", message: job.message };
  const { compiled, recipient } = job;
  if (kept.has(compiled.key)) return { kind: "render", key: compiled.key, compiled: null, recipient };
  const [oldest] = kept;
  if (kept.size >= MAX_KEPT_CONTENTS && oldest !== undefined) kept.delete(oldest);
  kept.add(compiled.key);
  return { kind: "render", key: compiled.key, compiled, recipient };
}

function faultsOf(answer: Answer): readonly ContentFault[] {
  return answer.kind === "failed" ? answer.faults : [workerFailed("it gave another answer")];
}

/** It was stopped by its own doing, here or by the limits inside the thread. */
function hasRunAway(answer: Answer): boolean {
  if (answer.kind === "failed") return answer.faults.some(isRunaway);
  return answer.kind === "rendered" && !answer.result.ok && isRunaway(answer.result.fault);
}

function tooSlow(timeoutMs: number): ContentFault {
  const detail = `This took longer than ${timeoutMs} ms and was stopped. Look for loops, and make it simpler.`;
  return faultWithoutPlace("too_slow", null, detail);
}

function tooMuchMemory(memoryMb: number): ContentFault {
  const detail = `This took more than ${memoryMb} MB and was stopped. Look for loops, and make it simpler.`;
  return faultWithoutPlace("too_much_memory", null, detail);
}

function workerFailed(why: string): ContentFault {
  return faultWithoutPlace("worker_failed", null, `This couldn't be worked out: ${why}. Try again.`);
}

const stopping: Answer = { kind: "failed", faults: [workerFailed("the service is stopping")] };
const crowded: Answer = { kind: "failed", faults: [workerFailed("too much is waiting already")] };
