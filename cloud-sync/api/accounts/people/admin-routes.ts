import type { FastifyInstance } from 'fastify';
import type { PersonId } from '../../../../src/domain/ids';
import { requiredId } from '../../../../src/domain/ids';
import { VALIDATION_MESSAGES } from '../../../../src/domain/messages';
import type { AdminUser, AdminUserReply, AuditReply, PeopleReply } from '../../../../src/protocol/accounts';
import {
  adminUserQuerySchema,
  auditQuerySchema,
  linkSchema,
  peopleQuerySchema,
  rolesSchema,
} from '../../../../src/protocol/accounts';
import { parseForm, parseInput } from '../../../../src/server/http/parse';
import { unknownPersonError } from './administration';
import type { Person } from './people';
import { searchPeople } from './people-search';
import type { DevicesReply } from '../sessions/devices';
import { requireSession } from '../sessions/require-session';
import type { CloudContext } from '../../context';

/** 1§5: "uid required". */
export const personIdSchema = requiredId(VALIDATION_MESSAGES.userIdRequired);

/** Routes of account administration (1§5, 1§6). */
export function adminRoutes(app: FastifyInstance, { accounts, database }: CloudContext): void {
  const { admin, people, callers, devices } = accounts;

  const toAdminUser = async (person: Person): Promise<AdminUser> => ({
    ...(await people.toCloudUser(person)),
    disabled: person.disabled,
    since: person.since?.toISOString() ?? null,
    lastLoginAt: person.lastLoginAt?.toISOString() ?? null,
  });

  app.get('/api/admin/users', async (request, reply) => {
    const { email } = parseForm(adminUserQuerySchema, request.query, 'params');
    const answer: AdminUserReply = { ok: true, user: await toAdminUser(await admin.findByEmail(email)) };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.get('/api/admin/people', async (request, reply) => {
    const found = await searchPeople(database.pool, parseForm(peopleQuerySchema, request.query, 'params'));
    const answer: PeopleReply = {
      ok: true,
      people: await Promise.all(found.people.map(toAdminUser)),
      next: found.next,
    };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });

  app.post('/api/admin/link', async (request): Promise<AdminUserReply> => {
    const { email, handle } = parseInput(linkSchema, request.body);
    const { person } = await requireSession(request, accounts);
    const linked = await admin.link(person.uid, email, handle);
    callers.clearCache();
    return { ok: true, user: await toAdminUser(linked) };
  });

  app.post<{ Params: { uid: string } }>('/api/admin/users/:uid/roles', async (request): Promise<AdminUserReply> => {
    const uid = parseInput(personIdSchema, request.params.uid, 'uid');
    const change = parseInput(rolesSchema, request.body);
    // Clears the cache: the caller may have just lost the right.
    callers.clearCache();
    const { person } = await requireSession(request, accounts);
    const changed = await admin.setRoles(person, uid, change);
    callers.clearCache();
    return { ok: true, user: await toAdminUser(changed) };
  });

  app.get<{ Params: { uid: string } }>('/api/admin/users/:uid/devices', async (request, reply) => {
    const uid = parseInput(personIdSchema, request.params.uid, 'uid') as PersonId;
    if ((await people.byId(uid)) === undefined) throw unknownPersonError(uid);
    return reply
      .header('Cache-Control', 'no-store')
      .send({ ok: true, devices: await devices.listByPerson(uid) } satisfies DevicesReply);
  });

  app.get('/api/admin/audit', async (request, reply) => {
    const answer: AuditReply = {
      ok: true,
      ...(await admin.auditPage(parseForm(auditQuerySchema, request.query, 'params'))),
    };
    return reply.header('Cache-Control', 'no-store').send(answer);
  });
}
