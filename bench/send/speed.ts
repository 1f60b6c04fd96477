/** A whole campaign from `send` to `sent`, against clients that keep no ledger. */
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
import { writeLetter } from "./newsletter.ts";
import { describeProfile } from "./profile.ts";
import { makeCampaign, makeShare, type Place, type Service, sendPipelined, startService } from "./service.ts";

export const CONNECTIONS = 20;
const ROLES = "api,jobs,sender";
const SMTP_SOURCE = "/usr/sbin/smtp-source";
/** Until what is done for each message has been compiled, and all connections are open. */
const WARM_UP_SECONDS = 2;
const WARM_UP_PERCENT = 20;
const WATCHED_PERCENT = 40;

type Opponent = {
  readonly name: string;
  /** null: for the reader's eyes, nothing is promised. */
  readonly asked: number | null;
  readonly program: Program;
};

export async function* speedFigures(setting: Setting, place: Place): AsyncIterable<Result> {
  const { note, folder, sizes } = setting;
  const message = await captureMessage(place);
  const bodyFile = join(folder, "sent.eml");
  writeFileSync(bodyFile, message);
  const sink = await startSink(folder);
  const where = keepSinkApart(sink.pid) ? "on a core of its own" : "on whatever core";
  note(
    `mails of ${message.length} octets over ${CONNECTIONS} connections, received by ${sink.name} ${where}`,
  );
  const opponents = await startOpponents(setting, sink, bodyFile, message.length);
  keepDatabaseApart(setting.postgres.pid);
  const service = await startService(place, {
    roles: ROLES,
    relay: { port: sink.port, connections: CONNECTIONS },
  });
  keepProgramApart(service.program.pid);
  try {
    await sendPipelined(
      service,
      await makeCampaign(service, place, await makeShare(service, WARM_UP_PERCENT)),
    );
    for (const { program } of opponents) await workFor(program, WARM_UP_SECONDS);
    const ours: Sample[] = [];
    const theirs = opponents.map((): Sample[] => []);
    for (let round = 1; round <= sizes.rounds; round++) {
      ours.push(await sendCampaign(setting, service, place, sink));
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
        name: `${place.recipients} mails from send to sent, to ${name}`,
        unit: "mail",
        asked,
      };
      const judged = judgeContest(promised, { ours, reference: theirs[at] ?? [] });
      yield { ...judged, details: [...judged.details, ...unjudged, `received by ${sink.name}`] };
    }
  } finally {
    await service.program.stop();
    for (const { program } of opponents) await program.stop();
    // What else is measured has no program apart.
    letGo(setting.postgres.pid);
  }
  try {
    note(await profile(setting, place, sink));
  } finally {
    await sink.stop();
  }
}

/** What the sandbox catches is what SMTP would carry. */
async function captureMessage(place: Place): Promise<Buffer> {
  const service = await startService(place, { roles: ROLES });
  try {
    const rules = { all: [{ field: "email", op: "is", value: place.emailOf(1) }] };
    const { id: segment_id } = await service.ask("POST", "/segments", { name: "One", rules });
    await sendPipelined(service, await makeCampaign(service, place, { segment_id }));
    const [caught] = await place.query("select raw from sandbox_messages");
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
  const nodemailer = await start("nodemailer-pool.ts", writeLetter(folder));
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

/** Said to be sent is one thing: the sink must have counted as many, and no more. */
async function sendCampaign(
  { postgres }: Setting,
  service: Service,
  place: Place,
  sink: Sink,
): Promise<Sample> {
  const id = await makeCampaign(service, place);
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

/** In a run of its own, and a shorter one: being watched costs time. */
async function profile({ folder }: Setting, place: Place, sink: Sink): Promise<string> {
  const profileFolder = join(folder, "profiles");
  mkdirSync(profileFolder);
  const relay = { port: sink.port, connections: CONNECTIONS };
  const service = await startService(place, { roles: ROLES, relay, profileFolder });
  try {
    await sendPipelined(
      service,
      await makeCampaign(service, place, await makeShare(service, WATCHED_PERCENT)),
    );
  } finally {
    await service.program.stop();
  }
  return describeProfile(profileFolder);
}
