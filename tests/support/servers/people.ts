/** People and tablets at a test cloud, signed in as usual: by a mailed code. */
import type { CloudUser } from '../../../src/protocol/cloud-auth';
import type { DeviceRegistration } from '../../../src/protocol/cloud-http';
import { tokenHash } from '../../../cloud-sync/api/accounts/sessions/secrets';
import type { TestCloud } from './cloud';
import { newId } from './edge-client';
import { codeIn, outboxMails } from './mail';

export interface SignedIn {
  /** Bearer token of the person. */
  readonly session: string;
  readonly user: CloudUser;
}

/** Requests a code and returns it from the outbox. */
export async function mailedCode(cloud: TestCloud, email: string): Promise<string> {
  const asked = await cloud.post('/api/fn/send-user-login-code', { email, path: '/' }, null);
  if (asked.status !== 200) throw new Error(`send-user-login-code: ${asked.status} ${JSON.stringify(asked.body)}`);
  return codeIn(outboxMails(cloud.outbox), email);
}

/** Signs a person in; the cloud must have no mail server. */
export async function signIn(cloud: TestCloud, email: string): Promise<SignedIn> {
  const verificationCode = await mailedCode(cloud, email);
  const { body } = await cloud.post<{ token: string }>(
    '/api/fn/verify-user-login-code',
    { email, verificationCode },
    null,
  );
  const answer = await cloud.post<SignedIn & { ok: boolean }>('/api/auth/custom-token', { token: body.token }, null);
  if (answer.status !== 200) throw new Error(`custom-token: ${answer.status} ${JSON.stringify(answer.body)}`);
  return { session: answer.body.session, user: answer.body.user };
}

/** Signs a staff member in; the session has passed the second factor. */
export async function signInStaff(cloud: TestCloud, email: string): Promise<SignedIn> {
  await signIn(cloud, email);
  await cloud.cloud.context.accounts.people.setStaff(email, true);
  const { session } = await signIn(cloud, email);
  return passSecondFactor(cloud, session);
}

/** Marks a session as one that has passed the second factor; the tests of it go the whole way. */
export async function passSecondFactor(cloud: TestCloud, session: string): Promise<SignedIn> {
  const { accounts, clock, database } = cloud.cloud.context;
  await database.pool.query('UPDATE auth."session" SET factor_at = $2 WHERE "token" = $1', [
    tokenHash(session),
    new Date(clock()),
  ]);
  accounts.callers.clearCache();
  return { session, user: (await cloud.get<{ user: CloudUser }>('/api/me', session)).body.user };
}

/** Signs a person in with one role more than a volunteer, or without an address. */
export async function signInAs(
  cloud: TestCloud,
  role: 'admin' | 'is_expert' | 'verified' | 'anonymous',
  email = `${role}@example.org`,
): Promise<SignedIn> {
  const { user } = await signIn(cloud, email);
  const { accounts, database } = cloud.cloud.context;
  await database.pool.query(`UPDATE auth.person SET ${role} = true WHERE uid = $1`, [user.uid]);
  return passSecondFactor(
    cloud,
    (await accounts.sessions.exchange(await accounts.sessions.issueCustomToken(user.uid as never))).session,
  );
}

/** Registers a tablet of a person; returns its credential. */
export async function registerDevice(cloud: TestCloud, { session }: SignedIn, id = newId()): Promise<string> {
  const { status, body } = await cloud.post<DeviceRegistration & Record<string, unknown>>(
    '/api/devices',
    { device: { id, name: 'Tablet' } },
    session,
  );
  if (status !== 200) throw new Error(`POST /api/devices: ${status} ${JSON.stringify(body)}`);
  return body.credential;
}
