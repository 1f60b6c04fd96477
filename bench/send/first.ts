/** Measures how soon the first mail of a campaign is sent, and what memory a sender needs, whatever the list's size. */
import { readFileSync } from "node:fs";
import type { Result, Setting } from "../harness/bench.ts";
import { median, share, spread } from "../harness/numbers.ts";
import { type OwnSink, startOwnSink } from "../mail/sink.ts";
import {
  cancelWhole,
  type FilledDatabase,
  makeCampaign,
  type Service,
  sendPipelined,
  startService,
  until,
} from "./service.ts";
import { CONNECTIONS } from "./speed.ts";

const LAUNCHES = 5;
const ASKED_SECONDS = 1;
/** As many mails are sent at either size, so that only the size differs. */
const MAILS = 30_000;
/** Memory counts as flat if the large list takes at most a quarter more. Garbage collection alone makes a tenth. */
const ASKED_FLAT = 0.8;

export async function* firstFigures(
  setting: Setting,
  small: FilledDatabase,
  large: FilledDatabase,
): AsyncIterable<Result> {
  const sink = await startOwnSink(setting.folder);
  try {
    for (const database of [small, large]) yield await firstMail(setting, database, sink);
    yield flat(small, await peakMegabytes(small, sink), large, await peakMegabytes(large, sink));
  } finally {
    await sink.stop();
  }
}

/** Runs the API and the sender in two processes, so that the sender's memory is its own. */
async function withSender<T>(
  database: FilledDatabase,
  sink: OwnSink,
  work: (service: Service, sender: Service) => Promise<T>,
): Promise<T> {
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: "api,jobs", relay });
  try {
    const sender = await startService(database, { roles: "sender", relay });
    try {
      return await work(service, sender);
    } finally {
      await sender.program.stop();
    }
  } finally {
    await service.program.stop();
  }
}

function firstMail({ note }: Setting, database: FilledDatabase, sink: OwnSink): Promise<Result> {
  return withSender(database, sink, async (service) => {
    const sinceAnswer: number[] = [];
    const sinceRequest: number[] = [];
    for (let turn = 0; turn < LAUNCHES; turn++) {
      const id = await makeCampaign(service, database);
      await sink.behave({});
      const askedMs = Date.now();
      await service.ask("POST", `/campaigns/${id}/send`);
      const answeredMs = Date.now();
      const { firstAtMs } = await until("the first mail is there", async () => {
        const taken = await sink.read();
        return taken.messages > 0 ? taken : undefined;
      });
      sinceAnswer.push((firstAtMs - answeredMs) / 1_000);
      sinceRequest.push((firstAtMs - askedMs) / 1_000);
      note(`first mail of ${database.recipients}: ${seconds(sinceAnswer.at(-1) ?? 0)}`);
      await cancelWhole(service, id);
    }
    const ours = median(sinceAnswer);
    return {
      figure: {
        name: `first mail on the wire after send was answered, ${database.recipients} recipients`,
        ours,
        reference: null,
        ratio: null,
        asked: ASKED_SECONDS,
        ok: ours <= ASKED_SECONDS,
      },
      unit: "s",
      headline: `ours ${seconds(ours)}, asked ≤ ${seconds(ASKED_SECONDS)}`,
      details: [
        `each of ${LAUNCHES} ${spread(sinceAnswer, seconds)}`,
        `since the request, checks and compiling included, ${spread(sinceRequest, seconds)}`,
      ],
    };
  });
}

const seconds = (value: number) => `${value.toFixed(3)} s`;

/** Sends to a small list as often as needed, and to a large one until enough mails were sent. */
function peakMegabytes(database: FilledDatabase, sink: OwnSink): Promise<number> {
  return withSender(database, sink, async (service, sender) => {
    await sink.behave({});
    while ((await sink.count()) < MAILS) {
      const id = await makeCampaign(service, database);
      if (database.recipients <= MAILS) {
        await sendPipelined(service, id);
        continue;
      }
      await service.ask("POST", `/campaigns/${id}/send`);
      await until("there are enough mails", async () => ((await sink.count()) >= MAILS ? true : undefined));
      await cancelWhole(service, id);
    }
    return readPeak(sender.program.pid);
  });
}

/** Returns the most memory that the process ever had (proc_pid_status(5)); NaN where there is no /proc. */
function readPeak(pid: number): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
    return Number(kilobytes) / 1_024;
  } catch {
    return Number.NaN;
  }
}

function flat(small: FilledDatabase, reference: number, large: FilledDatabase, ours: number): Result {
  const ratio = reference / ours;
  const show = (megabytes: number) => `${megabytes.toFixed(0)} MB`;
  const name = `a sender's memory at its peak, ${large.recipients} recipients against ${small.recipients}`;
  return {
    figure: { name, ours, reference, ratio, asked: ASKED_FLAT, ok: ratio >= ASKED_FLAT },
    unit: "MB",
    headline:
      `ours ${show(ours)}, at the small one ${show(reference)}, ` +
      `ratio ${share(ratio)}, asked ≥ ${share(ASKED_FLAT)}`,
    details: [`each in the first ${MAILS} mails of a new process`],
  };
}
