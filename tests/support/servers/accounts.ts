/** Account calls by address at a test cloud, each with a body that also claims roles. */
import type { MeReply } from '../../../src/protocol/cloud-auth';
import type { TestCloud } from './cloud';
import { startCloud } from './cloud';
import { newId } from './edge-client';

export interface AccountAnswer {
  readonly ok: boolean;
  readonly token: string;
  readonly session: string;
  readonly user: MeReply['user'];
  readonly error?: {
    readonly code: string;
    readonly auth?: string;
    readonly field?: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly retryAfterMs?: number;
  };
}

export interface AccountReply {
  readonly status: number;
  readonly body: AccountAnswer;
}

/** Starts a cloud with a public address, whose clock can be advanced for a while. */
export function cloudWithClock(): {
  readonly clock: () => number;
  readonly start: () => Promise<TestCloud>;
  readonly later: <T>(ms: number, work: () => Promise<T>) => Promise<T>;
} {
  let ahead = 0;
  const clock = (): number => Date.now() + ahead;
  return {
    clock,
    start: () => startCloud({ hooks: { clock }, env: { PUBLIC_URL: 'https://reef.example' } }),
    async later(ms, work) {
      ahead = ms;
      try {
        return await work();
      } finally {
        ahead = 0;
      }
    },
  };
}

/** Claims that no body can grant. */
const LOUD = {
  admin: true,
  staff: true,
  isExpert: true,
  verified: true,
  roles: ['staff'],
  data: { admin: true },
  emailVerified: true,
  domains: ['x'],
};

export const anyone = (): string => `${newId().toLowerCase()}@example.org`;

let networks = 0;
/** Network address unused elsewhere in this process. */
export function network(): string {
  networks += 1;
  return `198.51.${networks >> 8}.${networks & 255}`;
}

export const refusal = ({ status, body }: AccountReply) => ({ status, auth: body.error?.auth });

export function accountCalls(cloud: () => TestCloud) {
  /** Posts from another network, as named by the proxy in front of the service. */
  async function post(
    place: string,
    body: object,
    { token, from = network() }: { readonly token?: string; readonly from?: string } = {},
  ): Promise<AccountReply> {
    const headers = {
      'content-type': 'application/json',
      'x-forwarded-for': from,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const answer = await fetch(new URL(place, cloud().url), {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...LOUD, ...body }),
    });
    return { status: answer.status, body: (await answer.json()) as AccountAnswer };
  }
  const create = (email: string, more: object = {}) => post('/api/fn/create-account', { email, ...more });
  const exchange = (token: string) => post('/api/auth/custom-token', { token });
  return {
    post,
    create,
    exchange,
    withPassword: (email: string, password: string, from?: string) =>
      post('/api/fn/sign-in-with-password', { email, password }, from === undefined ? {} : { from }),
    /** Creates an account and signs in to it. */
    async enter(email: string, password = 'six of it'): Promise<AccountAnswer> {
      const made = await create(email, { password });
      if (made.status !== 200) throw new Error(`create-account: ${made.status} ${JSON.stringify(made.body)}`);
      return (await exchange(made.body.token)).body;
    },
  };
}
