/** Checks our DKIM signatures with two verifiers, dkimpy (Debian's python3-dkim) and OpenDKIM, without DNS. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { publicKeyRecord, signMessage } from "../src/mail/dkim/dkim.ts";
import { makeKey, type PickBelow, randomMessage } from "../src/mail/dkim/messages.fixture.ts";
import { percentFigure, type Score, type Scorer } from "./figures.ts";

export const dkimScorer: Scorer = {
  name: "dkim",
  summary: "random messages signed by us, verified by dkimpy and OpenDKIM",
  score: scoreDkim,
};

const MESSAGES = 2_000;
/** The number of messages that get a Subject after signing, to show that a verifier really checks. */
const DAMAGED = 100;
const SEED = 6376;

const runProgram = promisify(execFile);
const MAX_OUTPUT_BYTES = 64 * 1_024 * 1_024;

/** The verdict on each signature, by file of the folder. */
type Verdicts = ReadonlyMap<string, readonly boolean[]>;

type Verifier = {
  readonly name: string;
  readonly install: string;
  /**
   * The paths where the program may be. Debian's /usr/sbin is in nobody's PATH but root's, and PATH may hold another
   * Python.
   */
  readonly programs: readonly string[];
  /** The arguments that show whether the program is there. */
  readonly probe: readonly string[];
  readonly verify: (program: string, folder: string, files: readonly string[]) => Promise<Verdicts>;
};

const verifiers: readonly Verifier[] = [
  {
    name: "dkimpy",
    install: "python3-dkim and python3-nacl",
    programs: ["python3", "/usr/bin/python3"],
    probe: ["-c", "import dkim, nacl"],
    verify: verifyWithDkimpy,
  },
  {
    name: "opendkim",
    install: "opendkim",
    programs: ["opendkim", "/usr/sbin/opendkim"],
    probe: ["-V"],
    verify: verifyWithOpendkim,
  },
];

async function scoreDkim(): Promise<Score> {
  const found = await Promise.all(
    verifiers.map(async (verifier) => ({ verifier, program: await findProgram(verifier) })),
  );
  const missing = found
    .filter(({ program }) => program === null)
    .map(({ verifier: { name, install } }) => `no ${name} here: install ${install}`);
  if (missing.length === found.length) return { figures: [], details: missing };
  const folder = mkdtempSync(join(tmpdir(), "postrider-score-dkim-"));
  try {
    const names = await writeMessages(folder);
    const scores: Score[] = [];
    for (const { verifier, program } of found) {
      if (program !== null) scores.push(await scoreWith(verifier, program, folder, names));
    }
    return {
      figures: scores.flatMap(({ figures }) => figures),
      details: [...missing, ...scores.flatMap(({ details }) => details)],
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Names = { readonly whole: readonly string[]; readonly damaged: readonly string[] };

async function scoreWith(
  { name, verify }: Verifier,
  program: string,
  folder: string,
  { whole, damaged }: Names,
): Promise<Score> {
  const verdicts = await verify(program, folder, [...whole, ...damaged]);
  const unverified = whole.filter((file) => {
    const passed = verdicts.get(file) ?? [];
    return passed.length !== 2 || passed.includes(false);
  });
  const refused = damaged.filter((file) => verdicts.get(file)?.every((passed) => !passed));
  return {
    figures: [
      percentFigure(`dkim.verified_by_${name}`, whole.length - unverified.length, whole.length, 100),
      percentFigure(`dkim.damaged_refused_by_${name}`, refused.length, damaged.length, 100),
    ],
    details: [
      `${whole.length} messages signed with RSA-2048 and Ed25519 for ${name}, and ${damaged.length} damaged ones`,
      ...unverified.map((file) => `${file} of seed ${SEED}: ${verdicts.get(file)?.join(", ")}`),
    ],
  };
}

async function findProgram({ programs, probe }: Verifier): Promise<string | null> {
  for (const program of programs) {
    const found = await runProgram(program, probe).then(
      () => true,
      () => false,
    );
    if (found) return program;
  }
  return null;
}

async function writeMessages(folder: string): Promise<Names> {
  const keys = [makeKey({ rsaBits: 2048 }, "rsa"), makeKey("ed25519", "ed25519")];
  const records = keys.map((key) => `${key.selector}._domainkey.${key.domain} ${publicKeyRecord(key)}\n`);
  writeFileSync(join(folder, "keys"), records.join(""));
  const pick = seededPick(SEED);
  const whole: string[] = [];
  const damaged: string[] = [];
  for (let number = 0; number < MESSAGES + DAMAGED; number++) {
    const message = randomMessage(pick);
    const signed = await signMessage(message, keys, { now: new Date() });
    if (!signed.ok) throw new Error(`message ${number} isn't signed: ${signed.detail}`);
    const file = `${String(number).padStart(5, "0")}.eml`;
    const isDamaged = number >= MESSAGES;
    (isDamaged ? damaged : whole).push(file);
    const parts = [signed.fields, Buffer.from(isDamaged ? "Subject: added\r\n" : ""), message];
    writeFileSync(join(folder, file), asReceived(Buffer.concat(parts)));
  }
  return { whole, damaged };
}

/** By RFC 5321 §4.1.1.4 the line break before the final dot belongs to the text, so no message arrives without one. */
function asReceived(message: Buffer): Buffer {
  return message.subarray(-2).equals(Buffer.from("\r\n"))
    ? message
    : Buffer.concat([message, Buffer.from("\r\n")]);
}

/** Draws numbers by mulberry32, so that a message that fails can be made again. */
function seededPick(seed: number): PickBelow {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

async function verifyWithDkimpy(program: string, folder: string): Promise<Verdicts> {
  const script = join(import.meta.dirname, "dkim.py");
  const { stdout } = await runProgram(program, [script, folder], { maxBuffer: MAX_OUTPUT_BYTES });
  const lines = stdout.trim().split("\n");
  return new Map(
    lines.map((line) => {
      const [file = "", ...words] = line.split(" ");
      return [file, words.map((word) => word === "pass")];
    }),
  );
}

/** With `-t` OpenDKIM prints, for each file in turn, the Authentication-Results that a mail server would get. */
async function verifyWithOpendkim(
  program: string,
  folder: string,
  files: readonly string[],
): Promise<Verdicts> {
  writeFileSync(join(folder, "config"), `TestPublicKeys ${join(folder, "keys")}\n`);
  const options = { cwd: folder, maxBuffer: MAX_OUTPUT_BYTES };
  const { stdout } = await runProgram(program, ["-x", "config", "-v", "-v", "-t", files.join(",")], options);
  const results = stdout.split(/^### INSHEADER: .*hname='Authentication-Results'/m).slice(1);
  if (results.length !== files.length) throw new Error(`opendkim judged ${results.length} messages`);
  return new Map(
    results.map((text, index) => {
      const words = [...text.matchAll(/\bdkim=(\w+)/g)].map(([, word]) => word);
      return [files[index] ?? "", words.map((word) => word === "pass")];
    }),
  );
}
