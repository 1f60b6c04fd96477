/** Compares a whole campaign from `send` to `sent` with clients that keep no ledger. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Result, Setting } from "../harness/bench.ts";
import { judgeContest } from "../harness/compare.ts";
import { measure, type Sample } from "../harness/meter.ts";
import { rate, spread } from "../harness/numbers.ts";
import type { Program } from "../harness/program.ts";
import { keepDatabaseApart, keepProgramApart, keepSenderApart, keepSinkApart, letGo } from "../mail/cores.ts";
import { type Sink, startSink } from "../mail/sink.ts";
import { startWorker, workFor } from "../mail/workers.ts";
import { writeMessage } from "./newsletter.ts";
import { describeProfile } from "./profile.ts";
import {
  type FilledDatabase,
  makeCampaign,
  makeShare,
  type Service,
  sendPipelined,
  startService,
} from "./service.ts";

export const CONNECTIONS = 20;
const ROLES = "api,jobs,sender";
const SMTP_SOURCE = "/usr/sbin/smtp-source";
/** This is long enough for the code that handles each message to be compiled, and for all connections to open. */
const WARM_UP_SECONDS = 2;
const WARM_UP_PERCENT = 20;
const WATCHED_PERCENT = 40;

type Opponent = {
  readonly name: string;
  /** Null where nothing is promised and the figure is for the reader only. */
  readonly asked: number | null;
  readonly program: Program;
};

export async function* speedFigures(setting: Setting, database: FilledDatabase): AsyncIterable<Result> {
  const { note, folder, sizes } = setting;
  const message = await captureMessage(database);
  const bodyFile = join(folder, "sent.eml");
  writeFileSync(bodyFile, message);
  const sink = await startSink(folder);
  const where = keepSinkApart(sink.pid) ? "on a core of its own" : "on whatever core";
  note(
    `mails of ${message.length} octets over ${CONNECTIONS} connections, received by ${sink.name} ${where}`,
  );
  const opponents = await startOpponents(setting, sink, bodyFile, message.length);
  keepDatabaseApart(setting.postgres.pid);
  const service = await startService(database, {
    roles: ROLES,
    relay: { port: sink.port, connections: CONNECTIONS },
  });
  keepProgramApart(service.program.pid);
  try {
    await sendPipelined(
      service,
      await makeCampaign(service, database, await makeShare(service, WARM_UP_PERCENT)),
    );
    for (const { program } of opponents) await workFor(program, WARM_UP_SECONDS);
    const ours: Sample[] = [];
    const theirs = opponents.map((): Sample[] => []);
    for (let round = 1; round <= sizes.rounds; round++) {
      ours.push(await sendCampaign(setting, service, database, sink));
      for (const [at, { program }] of opponents.entries()) {
        theirs[at]?.push(await sendFor(setting, program, sink));
      }
      const speeds = opponents.map(({ name }, at) => `${name} ${rate(theirs[at]?.at(-1)?.perSecond ?? 0)}`);
      note(
        `round ${round} of ${sizes.rounds}: ours ${rate(ours.at(-1)?.perSecond ?? 0)}, ${speeds.join(", ")}`,
      );
    }
    const unjudged = opponents.flatMap(({ name, asked }, at) =>
      asked === null ? [`${name} ${spread(speedsOf(theirs[at]), rate)}`] : [],
    );
    for (const [at, { name, asked }] of opponents.entries()) {
      if (asked === null) continue;
      const promised = {
        name: `${database.recipients} mails from send to sent, to ${name}`,
        unit: "mail",
        asked,
      };
      const judged = judgeContest(promised, { ours, reference: theirs[at] ?? [] });
      yield { ...judged, details: [...judged.details, ...unjudged, `received by ${sink.name}`] };
    }
  } finally {
    await service.program.stop();
    for (const { program } of opponents) await program.stop();
    // The other figures pin no program to a core, so PostgreSQL may use all cores again.
    letGo(setting.postgres.pid);
  }
  try {
    note(await profile(setting, database, sink));
  } finally {
    await sink.stop();
  }
}

/** Reads the message from the sandbox, which catches what SMTP would carry. */
async function captureMessage(database: FilledDatabase): Promise<Buffer> {
  const service = await startService(database, { roles: ROLES });
  try {
    const rules = { all: [{ field: "email", op: "is", value: database.emailOf(1) }] };
    const { id: segment_id } = await service.ask("POST", "/segments", { name: "One", rules });
    await sendPipelined(service, await makeCampaign(service, database, { segment_id }));
    const [caught] = await database.query("select raw from sandbox_messages");
    return caught?.["raw"] as Buffer;
  } finally {
    await service.program.stop();
  }
}

async function startOpponents(
  { folder, note }: Setting,
  sink: Sink,
  bodyFile: string,
  octets: number,
): Promise<Opponent[]> {
  const start = async (file: string, input: string, ...more: string[]) => {
    const args = [input, String(sink.port), String(CONNECTIONS), ...more];
    const program = await startWorker(`../reference/${file}`, args, folder);
    keepSenderApart(program.pid);
    return program;
  };
  const bare = await start("bare-smtp.ts", bodyFile);
  const nodemailer = await start("nodemailer-pool.ts", writeMessage(folder));
  const opponents: Opponent[] = [
    { name: "a bare pipelining loop with the same bytes", asked: 0.55, program: bare },
    { name: "nodemailer's pool", asked: 8, program: nodemailer },
  ];
  if (!existsSync(SMTP_SOURCE)) {
    note("smtp-source isn't installed (package postfix): the figure against it is left out");
    return opponents;
  }
  const source = await start("smtp-source.ts", String(octets));
  const keeping = await start("smtp-source.ts", String(octets), "keep");
  return [
    ...opponents,
    { name: "Postfix's smtp-source", asked: 1, program: source },
    { name: "smtp-source -d, which keeps its sessions and isn't asked for,", asked: null, program: keeping },
  ];
}

function speedsOf(samples: readonly Sample[] = []): number[] {
  return samples.map((one) => one.perSecond);
}

/** Sends a campaign and checks that the sink has counted as many mails as the campaign says, and no more. */
async function sendCampaign(
  { postgres }: Setting,
  service: Service,
  database: FilledDatabase,
  sink: Sink,
): Promise<Sample> {
  const id = await makeCampaign(service, database);
  const before = await sink.count();
  return measure(postgres, service.program.pid, async () => {
    const { recipients, seconds } = await sendPipelined(service, id);
    const received = (await sink.count()) - before;
    if (received !== recipients)
      throw new Error(`${recipients} mails were said to be sent, and the sink took ${received}`);
    return { units: recipients, seconds };
  });
}

function sendFor({ postgres, sizes }: Setting, program: Program, sink: Sink): Promise<Sample> {
  return measure(postgres, program.pid, async () => {
    const before = await sink.count();
    const work = await workFor(program, sizes.seconds);
    const received = (await sink.count()) - before;
    if (received !== work.units) throw new Error(`${work.units} mails were sent, and ${received} taken`);
    return work;
  });
}

/** Profiles a shorter run of its own, because profiling takes time. */
async function profile({ folder }: Setting, database: FilledDatabase, sink: Sink): Promise<string> {
  const profileFolder = join(folder, "profiles");
  mkdirSync(profileFolder);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(database, { roles: ROLES, relay, profileFolder });
  try {
    await sendPipelined(
      service,
      await makeCampaign(service, database, await makeShare(service, WATCHED_PERCENT)),
    );
  } finally {
    await service.program.stop();
  }
  return describeProfile(profileFolder);
}
