/** Compares composing and sending a newsletter with nodemailer's pool and with the least code that sends at all. */
import { join } from "node:path";
import type { Result, Setting } from "../harness/bench.ts";
import { type Contest, judgeContest, runInTurns } from "../harness/compare.ts";
import { measure, type Sample, type Work } from "../harness/meter.ts";
import { type Program, startProgram } from "../harness/program.ts";
import { keepSenderApart, keepSinkApart } from "./cores.ts";
import { writeMessage } from "./message.ts";
import { hearPort, type Sink, startSink } from "./sink.ts";
import { startWorker, workFor } from "./workers.ts";

const CONNECTIONS = 8;
const ROUND_TRIP_MS = 50;
/** This is long enough for the code that handles each message to be compiled, and for all connections to open. */
const WARM_UP_SECONDS = 2;

type Side = { readonly file: string; readonly input: string; readonly option?: string };

type Duel = {
  readonly name: string;
  readonly asked: number;
  /** The port of the server that both sides send to. */
  readonly port: number;
  readonly ours: Side;
  readonly reference: Side;
};

export async function* sendingFigures(setting: Setting): AsyncIterable<Result> {
  const { folder, note } = setting;
  const { messageFile, bodyFile, octets } = writeMessage(folder);
  const ours: Side = { file: "send-process.ts", input: messageFile };
  const nodemailer: Side = { file: "../reference/nodemailer-pool.ts", input: messageFile };
  const bare: Side = { file: "../reference/bare-smtp.ts", input: bodyFile };
  const sink = await startSink(folder);
  const delay = startDelay(sink.port, folder);
  try {
    const place = keepSinkApart(sink.pid) ? "on a core of its own" : "on whatever core";
    note(`messages of ${octets} octets on ${CONNECTIONS} connections, received by ${sink.name} ${place}`);
    const near = { port: sink.port, ours };
    const far = { port: await hearPort(delay), reference: nodemailer };
    const sent = "10 KB multipart composed from pre-encoded pieces and sent";
    const duels: Duel[] = [
      { ...near, name: `${sent}, to nodemailer's pool`, asked: 10, reference: nodemailer },
      { ...near, name: `${sent}, to a bare pipelining loop with a fixed body`, asked: 0.7, reference: bare },
      {
        ...far,
        name: `the same over round trips of ${ROUND_TRIP_MS} ms with look-ahead, to nodemailer's pool`,
        asked: 1.8,
        ours: { ...ours, option: "look-ahead" },
      },
      {
        ...far,
        name: `the same over round trips of ${ROUND_TRIP_MS} ms without look-ahead, to nodemailer's pool`,
        asked: 0.95,
        ours,
      },
    ];
    for (const duel of duels) yield await fight(duel, sink, setting);
  } finally {
    await delay.stop();
    await sink.stop();
  }
}

async function fight(duel: Duel, sink: Sink, setting: Setting): Promise<Result> {
  const ours = await startSide(duel.ours, duel.port, setting.folder);
  try {
    const reference = await startSide(duel.reference, duel.port, setting.folder);
    try {
      const turn = (program: Program) => (): Promise<Sample> =>
        measure(setting.postgres, program.pid, () => sendFor(program, setting.sizes.seconds, sink));
      const contest: Contest = {
        name: duel.name,
        unit: "message",
        asked: duel.asked,
        ours: turn(ours),
        reference: turn(reference),
      };
      await sendFor(ours, WARM_UP_SECONDS, sink);
      await sendFor(reference, WARM_UP_SECONDS, sink);
      const result = judgeContest(contest, await runInTurns(contest, setting));
      return { ...result, details: [...result.details, `received by ${sink.name}`] };
    } finally {
      await reference.stop();
    }
  } finally {
    await ours.stop();
  }
}

/** A sender's count is accepted only if the sink has counted as many. */
async function sendFor(program: Program, seconds: number, sink: Sink): Promise<Work> {
  const before = await sink.count();
  const work = await workFor(program, seconds);
  const received = (await sink.count()) - before;
  if (received !== work.units) {
    throw new Error(`${work.units} messages were said to be accepted, and the sink took ${received}`);
  }
  return work;
}

async function startSide({ file, input, option }: Side, port: number, folder: string): Promise<Program> {
  const args = [input, String(port), String(CONNECTIONS), ...(option ? [option] : [])];
  const program = await startWorker(file, args, folder);
  keepSenderApart(program.pid);
  return program;
}

function startDelay(port: number, folder: string): Program {
  return startProgram({
    file: join(import.meta.dirname, "delay-process.ts"),
    args: [String(port), String(ROUND_TRIP_MS / 2)],
    cwd: folder,
  });
}
