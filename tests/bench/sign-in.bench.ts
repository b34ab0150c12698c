import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { makeId } from '../../src/domain/ids';
import { startBenchCloud } from './tools/cloud-database';
import type { Bench, Figure } from './tools/harness';
import { median } from './tools/harness';
import { LeanHttp } from './tools/lean-http';

const PAIRS = 200;
/** Each pair hashes a password twice. */
const PASSWORD_PAIRS = 40;
/** Greatest allowed ratio of the two medians. */
const GOAL = 1.1;

const CALLS = [
  { what: 'send-user-login-code', pairs: PAIRS, answer: 200, body: (email: string) => ({ email, path: '/' }) },
  { what: 'send-password-reset', pairs: PAIRS, answer: 200, body: (email: string) => ({ email }) },
  {
    what: 'sign-in-with-password',
    pairs: PASSWORD_PAIRS,
    answer: 400,
    body: (email: string) => ({ email, password: 'not theirs' }),
  },
] as const;

/**
 * Compares response times, which must not reveal which addresses have an account: the two kinds alternate, and each
 * address is asked once.
 */
export const bench: Bench = {
  about: `answers about addresses with an account beside answers about others, ${PAIRS} pairs`,
  async run(say) {
    const cloud = await startBenchCloud('sign-in');
    const client = new pg.Client({ connectionString: cloud.databaseUrl });
    let http: LeanHttp | undefined;
    try {
      await client.connect();
      http = await LeanHttp.open(cloud.url);
      const figures: Figure[] = [];
      for (const { what, pairs, body, answer } of CALLS) {
        const addresses = Array.from(
          { length: pairs + 1 },
          () => `${makeId((n) => randomBytes(n)).toLowerCase()}@example.org`,
        );
        await client.query(
          'INSERT INTO auth."user" ("id", "name", "email", "emailVerified") SELECT e, $2, e, true FROM unnest($1::text[]) AS e',
          [addresses, ''],
        );
        const times = { known: [] as number[], unknown: [] as number[] };
        for (const [n, known] of addresses.entries()) {
          const unknown = `${makeId((count) => randomBytes(count)).toLowerCase()}@example.org`;
          const order = [
            ['known', known],
            ['unknown', unknown],
          ] as const;
          for (const [kind, email] of n % 2 === 0 ? order : [...order].reverse()) {
            const from = performance.now();
            const { status } = await http.request(
              'POST',
              `/api/fn/${what}`,
              { 'Content-Type': 'application/json', 'X-Forwarded-For': `198.51.${n >> 8}.${n & 255}` },
              [Buffer.from(JSON.stringify(body(email)))],
            );
            if (status !== answer) throw new Error(`${what}: ${status} for an address that is ${kind}`);
            // The first pair warms up.
            if (n > 0) times[kind].push(performance.now() - from);
          }
        }
        const [known, unknown] = [median(times.known), median(times.unknown)];
        say(`${what}: known ${known.toFixed(2)} ms, unknown ${unknown.toFixed(2)} ms`);
        figures.push({
          figure: `medians of ${what}, the longer by the shorter`,
          value: Math.max(known, unknown) / Math.min(known, unknown),
          unit: '×',
          rule: '<=',
          goal: GOAL,
        });
      }
      return figures;
    } finally {
      http?.close();
      await client.end();
      await cloud.stop();
    }
  },
};
