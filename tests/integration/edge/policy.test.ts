import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Edge } from '../../../edge-server/app';
import { buildEdge } from '../../../edge-server/app';
import { policyName } from '../../../edge-server/sign-in/caller';
import { readSettings } from '../../../edge-server/settings';
import { scopeOf } from '../../../edge-server/socket/connection';
import { HANDLERS, answerEvent } from '../../../edge-server/socket/dispatcher';
import { OP_KINDS } from '../../../src/domain/op/op';
import type { EdgeRole } from '../../../src/domain/policy/edge-policy';
import { EDGE_POLICY, decideEdge, edgePolicyRow } from '../../../src/domain/policy/edge-policy';
import type { EdgeUser } from '../../../src/protocol/edge-socket';
import { EDGE_MESSAGES } from '../../../src/protocol/edge-socket';
import { makeOp, newId, surveyOp } from '../../support/servers/edge-client';

// Starting a box process is slow on a busy machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const ROLES = ['anyone', 'device', 'person', 'admin'] as const;
/** Roles of a caller; a tablet whose access has not ended reads. */
function rolesAs(role: (typeof ROLES)[number]): Set<EdgeRole> {
  switch (role) {
    case 'person':
      return new Set(['anyone', 'device', 'reader', 'person']);
    case 'device':
      return new Set(['anyone', 'device', 'reader']);
    default:
      return new Set(['anyone', role]);
  }
}
/** Device key of the sessions. */
const key = 'K'.repeat(43);
const home = mkdtempSync(path.join(os.tmpdir(), 'reef-policy-'));
let edge: Edge;

beforeAll(async () => {
  edge = await buildEdge(readSettings({ REEF_HOME: home, EDGE_PORT: '0', MIN_FREE_GB: '0' }), {
    log: pino({ level: 'silent' }),
  });
  await edge.app.ready();
});
afterAll(async () => {
  await edge.close();
  rmSync(home, { recursive: true, force: true });
});

describe('1§6: the policy table', () => {
  it('1§6: every registered route has a row, and every row a route', () => {
    const registered = new Set(edge.routes.map((route) => policyName(...(route.split(' ') as [string, string]))));
    for (const route of registered)
      expect(edgePolicyRow('http', route), `${route} has no row in the policy table`).toBeDefined();
    expect([...registered].sort()).toEqual(Object.keys(EDGE_POLICY.http).sort());
  });

  it('1§6: every socket event, query and kind of operation has a row', () => {
    expect(Object.keys(EDGE_POLICY.socket).sort()).toEqual(Object.keys(EDGE_MESSAGES).sort());
    expect(Object.keys(HANDLERS).sort()).toEqual(Object.keys(EDGE_MESSAGES).sort());
    expect(Object.keys(EDGE_POLICY.query).sort()).toEqual([...EDGE_MESSAGES.query.shape.name.options].sort());
    expect(Object.keys(EDGE_POLICY.op).sort()).toEqual([...OP_KINDS].sort());
  });

  it('1§6: ingest asks the table for each kind of op, whatever the source', async () => {
    await expect(
      edge.context.intake.acceptOp(surveyOp(), { person: null, roles: new Set(['anyone']) }),
    ).rejects.toMatchObject({ code: 'forbidden' });
    expect(await edge.context.intake.acceptOp(surveyOp(), { person: null, roles: new Set(['device']) })).toMatchObject({
      accepted: true,
    });
  });

  it.each(OP_KINDS)('1§6: an op of kind %s is accepted from tablets and the bridge alone', async (kind) => {
    const op = makeOp(kind, { id: newId(), uid: newId() });
    const of = (role: EdgeRole) =>
      edge.context.intake
        .acceptOp(op, { person: null, roles: new Set<EdgeRole>(['anyone', role]), kind })
        .catch((error: { code: string }) => error.code);
    for (const role of ROLES)
      expect((await of(role)) === 'forbidden', role).toBe(
        decideEdge('op', kind, new Set(['anyone', role])) !== 'allowed',
      );
    expect(decideEdge('op', kind, new Set(['anyone', 'person']))).not.toBe('allowed');
  });

  it.each(Object.keys(EDGE_POLICY.http).filter((route) => !route.includes('*')))(
    '1§6: %s for every role',
    async (route) => {
      const [method, place] = route.split(' ') as ['GET', string];
      const { adminToken, sessions } = edge.context;
      const now = new Date().toISOString();
      const person: EdgeUser = { uid: newId(), email: 'a@example.org', name: { first: 'A', last: 'B' }, pending: true };
      const tokens = {
        anyone: undefined,
        device: sessions.create(newId(), null, now, key).token,
        person: sessions.create(newId(), person, now, key).token,
        admin: adminToken,
      };
      for (const role of ROLES) {
        const token = tokens[role];
        const reply = await edge.app.inject({
          method,
          url: place.replace(/:\w+/g, newId()),
          headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
          ...(method === 'GET' ? {} : { payload: { admin: true, isExpert: true, roles: ['admin'], person } }),
        });
        const decided = decideEdge('http', route, rolesAs(role));
        if (decided === 'allowed')
          expect([401, 403], `${route} for ${role}: ${reply.statusCode}`).not.toContain(reply.statusCode);
        else expect(reply.statusCode, `${route} for ${role}`).toBe(decided === 'unauthorised' ? 401 : 403);
        // Body fields grant no role.
        if (token !== undefined && role !== 'admin' && place !== '/edge/disconnect')
          expect(sessions.find(token)?.person ?? null).toEqual(role === 'person' ? person : null);
      }
    },
  );

  it.each([...Object.keys(EDGE_POLICY.socket), ...Object.keys(EDGE_POLICY.query).map((name) => `query ${name}`)])(
    '1§6: the socket’s %s for every role',
    async (what) => {
      const [event = '', name] = what.split(' ');
      const { sessions } = edge.context;
      const now = new Date().toISOString();
      const person: EdgeUser = { uid: newId(), email: 'a@example.org', name: { first: 'A', last: 'B' }, pending: true };
      for (const role of ['anyone', 'device', 'person'] as const) {
        const session =
          role === 'anyone' ? null : sessions.create(newId(), role === 'person' ? person : null, now, key).session;
        const reply = await answerEvent(
          edge.context,
          { address: '127.0.0.1', session, key, reader: () => scopeOf(session), update: () => undefined },
          event,
          [name === undefined ? {} : { name, params: {} }],
        );
        const refused = reply.ok ? undefined : reply.error.code;
        const roles = rolesAs(role);
        const decided = decideEdge('socket', event, roles);
        if (decided === 'allowed' && (name === undefined || decideEdge('query', name, roles) === 'allowed'))
          expect(['unauthorised', 'forbidden'], role).not.toContain(refused);
        else expect(refused, role).toBe(decided === 'unauthorised' ? 'unauthorised' : 'forbidden');
      }
    },
  );

  it('1§6: a call without a row is refused, a stranger must verify, a known caller is denied', () => {
    const device = new Set(['anyone', 'device'] as const);
    expect(decideEdge('http', 'GET /edge/secrets', new Set(['admin']))).toBe('unknown');
    expect(decideEdge('socket', 'constructor', device)).toBe('unknown');
    expect(decideEdge('http', 'GET /edge/changes', new Set(['anyone']))).toBe('unauthorised');
    expect(decideEdge('http', 'GET /edge/changes', device)).toBe('forbidden');
    expect(decideEdge('http', 'POST /edge/profile', device)).toBe('forbidden');
    expect(decideEdge('http', 'GET /edge/trace', new Set())).toBe('allowed');
  });

  it('protocol, Edge HTTP: each admin route refuses strangers and tablets', async () => {
    const { token } = edge.context.sessions.create('Device0000000001', null, new Date().toISOString());
    const calls: [string, string][] = [
      ['GET', '/edge/changes'],
      ['GET', `/edge/blobs/${'0'.repeat(64)}`],
      ['HEAD', `/edge/blobs/${'0'.repeat(64)}`],
      ['GET', `/edge/blobs/${'0'.repeat(64)}/preview`],
      ['POST', '/edge/ops'],
      ['GET', '/edge/export'],
      ['PUT', '/edge/reference/regions'],
      ['GET', '/edge/console'],
      ['POST', '/edge/console'],
      ['GET', '/edge/diagnostics'],
      ['POST', '/edge/bridge'],
      ['POST', '/edge/freeing'],
    ];
    for (const [method, url] of calls) {
      const ask = (authorization?: string) =>
        edge.app.inject({
          method: method as 'GET',
          url,
          headers: authorization === undefined ? {} : { authorization },
        });
      expect((await ask()).statusCode, `${method} ${url} for a stranger`).toBe(401);
      expect((await ask('Bearer wrong')).statusCode, `${method} ${url} for a wrong token`).toBe(401);
      expect((await ask(`Bearer ${token}`)).statusCode, `${method} ${url} for a tablet`).toBe(403);
      expect([401, 403], `${method} ${url} for the admin`).not.toContain(
        (await ask(`Bearer ${edge.context.adminToken}`)).statusCode,
      );
    }
  });
});
