import { canonicalJson } from '../../src/domain/canonical';
import { opIdOf, splitOpId } from '../../src/domain/ids';
import type { JsonObject } from '../../src/domain/json';
import type { Op } from '../../src/domain/op/op';
import { deviceAnswerText } from '../../src/protocol/device-answer';
import { newDeviceKey, signedBy } from '../support/servers/device-keys';
import type { TestDeviceKey } from '../support/servers/device-keys';
import { sha256 } from '../support/servers/edge-client';
import { makeOps } from './tools/census-ops';
import { BOX_TOKEN, startBenchCloud } from './tools/cloud-database';
import type { BenchCloud } from './tools/cloud-database';
import type { Bench, Contestant, Turn } from './tools/harness';
import { interleave, median, ratioByRound } from './tools/harness';
import { LeanHttp } from './tools/lean-http';
import { cpuSecondsOf } from './tools/process-tree';

const OPS = 3_000;
/** Batch size of a bridge. */
const BATCH = 500;
const ROUNDS = 8;
const NODE = 'NodeOfTheBenches';
const PEOPLE = 12;
/** Later changes of each survey. */
const EDITS: readonly JsonObject[] = [
  { name: 'Ribbon Reef, checked' },
  { visibility: 12, water: 27 },
  { note: 'Turtles.' },
];
const SIGNED = 'signed';
const UNSIGNED = 'unsigned';

interface Author {
  readonly uid: NonNullable<Op['by']>;
  readonly key: TestDeviceKey;
}

/**
 * Posts surveys of a crew and their edits through its box, as a bridge does: with the signatures of their certified keys,
 * which the cloud checks, and without any. Authors, bodies and batches are alike; signing is outside the measured time.
 * Photographs' records are left out: pictures that are made of them in the background would hide the difference.
 */
export const bench: Bench = {
  about: `${OPS.toLocaleString('en')} operations of ${PEOPLE} people with checked signatures, beside the same without any`,
  async run(say) {
    const cloud = await startBenchCloud('signatures');
    try {
      const authors: Author[] = [];
      for (let n = 0; n < PEOPLE; n++) authors.push(await signedInAuthor(cloud, `diver${n}@example.org`));
      const turns = await interleave(
        [SIGNED, UNSIGNED].map((name) => contestant(name, cloud, () => records(authors, name === SIGNED))),
        ROUNDS,
      );
      const [signed = [], unsigned = []] = [turns.get(SIGNED), turns.get(UNSIGNED)];
      for (const [name, list] of turns) say(inWords(name, list));
      return [
        {
          figure: 'time of the intake with signatures checked',
          value: ratioByRound(signed, unsigned, ({ seconds }) => seconds),
          unit: '×',
          rule: '<=',
          goal: 1.15,
          rival: UNSIGNED,
        },
      ];
    } finally {
      await cloud.stop();
    }
  },
};

/** Person with an account whose key the cloud certified. */
async function signedInAuthor(cloud: BenchCloud, email: string): Promise<Author> {
  const session = await cloud.signIn(email);
  const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' };
  const { user } = (await (await fetch(`${cloud.url}/api/me`, { headers })).json()) as { user: { uid: Author['uid'] } };
  const node = /^node=(.+)$/m.exec(await (await fetch(`${cloud.url}/trace`)).text())?.[1] ?? '';
  const key = newDeviceKey();
  const answer = key.sign(deviceAnswerText({ node, challenge: session, key: key.x }));
  const { status } = await fetch(`${cloud.url}/api/auth/key`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key: key.x, answer }),
  });
  if (status !== 200) throw new Error(`POST /api/auth/key: ${status}`);
  return { uid: user.uid, key };
}

/** Surveys of these people in turn, then an edit of each, and so on: two of one survey are never in one batch. */
function records(authors: readonly Author[], isSigned: boolean): Op[] {
  const surveys = Array.from(
    { length: OPS / (1 + EDITS.length) },
    (_, n) => makeOps(1, authors[n % authors.length]!.uid)[0]!,
  );
  const rounds = [surveys];
  for (const [n, change] of EDITS.entries()) rounds.push(surveys.map((survey) => edited(survey, n + 2, change)));
  return rounds.flatMap((ops) => ops.map((op, n) => (isSigned ? signedBy(authors[n % authors.length]!.key, op) : op)));
}

function edited(survey: Op, lc: number, change: JsonObject): Op {
  const body = { ...survey.body, ...change };
  return {
    ...survey,
    opId: opIdOf(splitOpId(survey.opId).deviceId, lc),
    lc,
    over: Object.fromEntries(Object.keys(change).map((field) => [field, [survey.opId]])),
    body,
    sha256: sha256(canonicalJson(body)) as Op['sha256'],
  };
}

/** Contestant whose turns measure the seconds of one operation. */
function contestant(name: string, { url, pid }: BenchCloud, makeAll: () => readonly Op[]): Contestant {
  return {
    name,
    async turn(): Promise<Turn> {
      const ops = makeAll();
      const bodies: Buffer[] = [];
      for (let from = 0; from < ops.length; from += BATCH)
        bodies.push(Buffer.from(JSON.stringify({ node: NODE, ops: ops.slice(from, from + BATCH) })));
      const http = await LeanHttp.open(url);
      const cpuBefore = cpuSecondsOf(pid);
      const began = performance.now();
      for (const body of bodies) await post(http, body);
      const seconds = (performance.now() - began) / 1000 / OPS;
      const cpuSeconds = (cpuSecondsOf(pid) - cpuBefore) / OPS;
      http.close();
      return { seconds, cpuSeconds };
    },
  };
}

async function post(http: LeanHttp, body: Buffer): Promise<void> {
  const { status, body: answer } = await http.request(
    'POST',
    '/api/ops',
    { Authorization: `Bearer ${BOX_TOKEN}`, 'Content-Type': 'application/json' },
    [body],
  );
  const { results = [] } = JSON.parse(answer.toString()) as { results?: { receipt?: { accepted: boolean } }[] };
  if (status !== 200 || results.length !== BATCH || !results.every(({ receipt }) => receipt?.accepted === true))
    throw new Error(`POST /api/ops: ${status} ${answer.toString().slice(0, 500)}`);
}

function inWords(name: string, turns: readonly Turn[]): string {
  const cpu = median(turns.map(({ cpuSeconds }) => cpuSeconds)) * 1e6;
  const time = median(turns.map(({ seconds }) => seconds)) * 1e6;
  return `${name.padEnd(10)} ${time.toFixed(0).padStart(6)} µs and ${cpu.toFixed(0).padStart(6)} µs CPU of the service an operation`;
}
