import { afterEach, expect, test } from 'vitest';
import { ReefError } from '../../../src/domain/errors';
import type { ScriptedCloud } from '../../support/doubles/scripted-cloud';
import { closeTablets, shoreScene, signInAshore } from '../../support/tablet/tablet-scene';

afterEach(closeTablets);

const PERSON = {
  uid: 'Somebody00000001',
  email: 'ana@example.org',
  name: { first: 'Ana', last: '' },
  isEmailVerified: true,
};

/** Makes the cloud report the signed-in person with these roles. */
function meAs(cloud: ScriptedCloud, roles: object | ReefError): void {
  cloud.instead = ({ path }) =>
    path === '/api/me'
      ? roles instanceof ReefError
        ? roles
        : Response.json({ ok: true, user: { ...PERSON, ...roles } })
      : undefined;
}

test('1§5 the admin role is fetched from the cloud, and failures are shown and retried', async () => {
  const scene = await shoreScene();
  const { cloud, tablet } = scene;
  const {
    account,
    edge,
    account: { admin },
  } = tablet.repositories;
  const stop = admin.access.subscribe(() => undefined);
  const standing = (): string => admin.access.get().status;
  await expect.poll(standing).toBe('signed-out');
  await expect(admin.people({ text: 'ana' })).rejects.toMatchObject({ code: 'unauthorised' });

  meAs(cloud, {});
  await signInAshore(scene);
  await expect.poll(standing).toBe('no');
  for (const roles of [{ verified: true }, { isExpert: true }, { admin: true, anonymous: true }]) {
    meAs(cloud, roles);
    admin.refresh();
    await expect.poll(standing).toBe('asking');
    await expect.poll(standing).toBe('no');
  }
  for (const roles of [{ admin: true }, { staff: true }]) {
    meAs(cloud, roles);
    admin.refresh();
    await expect.poll(standing).toBe('admin');
    meAs(cloud, {});
    admin.refresh();
    await expect.poll(standing, { message: 'who lost the role' }).toBe('no');
  }

  meAs(cloud, new ReefError('internal'));
  admin.refresh();
  await expect.poll(() => admin.access.get()).toEqual({ status: 'away', why: 'no-answer' });
  meAs(cloud, { admin: true });
  admin.refresh();
  await expect.poll(standing).toBe('admin');
  await edge.link.setOfflineByChoice(true);
  admin.refresh();
  await expect.poll(() => admin.access.get()).toEqual({ status: 'away', why: 'offline' });
  await expect(admin.audit({})).rejects.toMatchObject({ code: 'disconnected' });
  await edge.link.setOfflineByChoice(false);
  await expect.poll(standing, { message: 'retried automatically' }).toBe('admin');

  await account.signIn.signOut();
  await expect.poll(standing).toBe('signed-out');
  stop();
});

test('1§5 an admin request has the cloud’s form, and its refusals keep their text', async () => {
  const scene = await shoreScene();
  const { cloud, tablet } = scene;
  const {
    account: { admin },
  } = tablet.repositories;
  await signInAshore(scene);
  const user = { ...PERSON, domains: ['reefweek'], isExpert: true, since: '2026-11-20T00:00:00.000Z', unknown: 1 };
  const asked: string[] = [];
  cloud.instead = ({ path, body }) => {
    if (!path.startsWith('/api/admin/')) return undefined;
    asked.push(`${path} ${JSON.stringify(body)}`);
    if (path.startsWith('/api/admin/audit'))
      return Response.json({
        ok: true,
        entries: [{ id: 7, at: '2026-11-20T00:00:00.000Z', by: null, action: 'roles', about: user.uid, details: {} }],
        names: { [user.uid]: { first: 'Ana' } },
        next: 7,
      });
    if (body['email'] === 'nobody@example.org')
      return new ReefError('not-found', {
        field: 'email',
        message: 'No user found for given Email ID nobody@example.org',
      });
    if (path.startsWith('/api/admin/people')) return Response.json({ ok: true, people: [user], next: 'a~b' });
    return Response.json({ ok: true, user });
  };
  expect(await admin.people({ text: 'ana+1@example.org', after: 'x~y z' })).toMatchObject({
    people: [{ uid: user.uid, isExpert: true, disabled: false, lastLoginAt: null, domains: ['reefweek'] }],
    next: 'a~b',
  });
  await admin.setRoles(user.uid, { isExpert: true });
  await expect(admin.link('nobody@example.org', 'reefweek')).rejects.toMatchObject({
    code: 'not-found',
    message: 'No user found for given Email ID nobody@example.org',
  });
  expect(await admin.audit({ about: user.uid, action: 'roles', before: 9 })).toMatchObject({
    next: 7,
    names: { [user.uid]: { first: 'Ana', last: '' } },
  });
  expect(asked.map((words) => words.split(' ')[0]?.split('?')[0])).toEqual([
    '/api/admin/people',
    `/api/admin/users/${user.uid}/roles`,
    '/api/admin/link',
    '/api/admin/audit',
  ]);
  expect(asked[1]).toContain('{"isExpert":true}');
});
