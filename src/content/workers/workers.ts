/**
 * Threads do what might run for too long, one task at a time, and are killed and replaced when a task exceeds its
 * time, which counts from when a ready thread gets it. A compile or a check waits no longer than it may then take, so
 * that whoever saves a content has an answer within twice the limit. `thread-queue.ts` says whose task is next.
 */
import { Worker } from "node:worker_threads";
import type { BlocksDocument } from "../blocks/blocks.ts";
import type { Message } from "../checks/checks.ts";
import type { ContentSource } from "../compile.ts";
import type { CompiledContent } from "../compiled.ts";
import { type ContentFault, faultWithoutPlace, isRunaway } from "../faults.ts";
import type { MergeData } from "../merge.ts";
import type { Values, ValuesFault } from "../render.ts";
import {
  type Answer,
  type Checked,
  type Compiled,
  type Faulty,
  MAX_KEPT_CONTENTS,
  type Task,
  type Written,
} from "./tasks.ts";
import { createThreadQueue } from "./thread-queue.ts";

export type ContentWorkers = {
  readonly compile: (source: ContentSource, accountId: string) => Promise<Compiled | Faulty>;
  /** Writes a document of blocks as MJML. */
  readonly writeMjml: (document: BlocksDocument, accountId: string) => Promise<Written | Faulty>;
  /**
   * Says what is wrong with a mail as one recipient would get it. A hostile mail takes half a second, so this isn't
   * done in the API's thread.
   */
  readonly check: (message: Message, accountId: string) => Promise<Checked | Faulty>;
  /** Renders the values of one recipient, whatever the content's Liquid. It waits for a thread as long as it must. */
  readonly render: (
    compiled: CompiledContent,
    recipient: MergeData,
    accountId: string,
  ) => Promise<Values | ValuesFault>;
  /** Kills the threads. Tasks that run or wait are answered with a fault. */
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
  /** The timer that ends the wait of a compile or a check; renders wait without limit. */
  readonly waitTimer: NodeJS.Timeout | undefined;
} & (
  | { readonly kind: "compile"; readonly source: ContentSource }
  | { readonly kind: "blocks"; readonly document: BlocksDocument }
  | { readonly kind: "check"; readonly message: Message }
  | { readonly kind: "render"; readonly compiled: CompiledContent; readonly recipient: MergeData }
);

type Thread = {
  readonly worker: Worker;
  /** The keys of the contents that the thread has, oldest first. */
  readonly kept: Set<string>;
  isReady: boolean;
  job: Job | null;
  jobSinceMs: number;
  timer: NodeJS.Timeout | undefined;
};

/** This allows for loading the program on a machine that is busy. */
const START_TIMEOUT_MS = 60_000;

/**
 * Threads get no secret, only the path of the cache for compiled code, without which each strips types anew: 0.1 s
 * and 25 MB.
 */
const THREAD_ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === "NODE_COMPILE_CACHE"),
);

const MAX_WAITING = 1_000;
/**
 * These limits are for one account. What is compiled or checked may be a megabyte, while recipients share their
 * content.
 */
const MAX_WAITING_EACH = { compile: 50, blocks: 50, check: 50, render: 500 };

/** Starts no thread before the first task. */
export function startContentWorkers(limits: WorkerLimits): ContentWorkers {
  const threads = new Set<Thread>();
  const queue = createThreadQueue<Job>(limits.threads, () => performance.now());
  let isClosed = false;

  /** Gives jobs only to threads that are ready, because starting one takes seconds where others need the processor. */
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
    // An idle thread must not keep the process alive.
    thread.worker.unref();
  }

  function discard(thread: Thread, fault: ContentFault): void {
    if (!threads.delete(thread)) return;
    // Where no thread can start, each attempt answers one job, so that nobody waits for ever.
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
    async writeMjml(document, accountId) {
      const answer = await run({ kind: "blocks", document, accountId, timeoutMs: limits.compileTimeoutMs });
      return answer.kind === "written" ? answer.result : { ok: false, faults: faultsOf(answer) };
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
 * When this thread was busy for long, a timeout and an answer are both due, and timers come first. So one turn of the
 * event loop is left for answers that have arrived already.
 */
function afterAnswers(timeoutMs: number, act: () => void): NodeJS.Timeout {
  return setTimeout(() => setImmediate(act), timeoutMs);
}

function toTask({ kept }: Thread, job: Job): Task {
  if (job.kind === "compile") return { kind: "compile", source: job.source };
  if (job.kind === "blocks") return { kind: "blocks", document: job.document };
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

/** Tells whether a task was stopped for its time or memory, here or by the limits inside the thread. */
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
