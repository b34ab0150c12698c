import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ANSWERS } from '../../../cloud-sync/api/openapi/openapi-answers';
import { cloudPolicyName } from '../../../cloud-sync/api/access/guard';
import { READ_SIGNATURES } from '../../../cloud-sync/api/reads/reads';
import { CLOUD_POLICY, cloudPolicyRow, decideCloud } from '../../../src/domain/policy/cloud-policy';
import type { TestCloud } from '../../support/servers/cloud';
import { startCloud } from '../../support/servers/cloud';
import { imageOp, makeOp, newId, photograph, sha256, surveyOp } from '../../support/servers/edge-client';
import { signInStaff } from '../../support/servers/people';

/** Strict copy of the schema: unknown top-level fields fail. */
const strict = (schema: z.ZodType): z.ZodType => (schema instanceof z.ZodObject ? schema.strict() : schema);

/** Routes that act without a body. */
const WITHOUT_BODY = [
  'POST /api/figures/renew',
  'POST /api/figures/broken/retry',
  'POST /api/fleet/boxes/:node/revoke',
  'POST /api/quarantine/:opId/release',
  'POST /api/auth/sign-out',
  'POST /api/auth/providers/:id/unlink',
  'POST /api/account/second-factor/codes',
  'POST /api/account/second-factor/passkeys',
  'POST /api/account/second-factor/recovery',
  'POST /api/auth/second-factor/start',
  'POST /api/admin/users/:uid/second-factor/reset',
];

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

describe('1§6: the cloud policy', () => {
  it('1§6: every registered route has a row, and every row a route', () => {
    const registered = new Set(
      cloud.cloud.routes.map((route) => cloudPolicyName(...(route.split(' ') as [string, string]))),
    );
    for (const route of registered)
      expect(cloudPolicyRow(route), `${route} has no row in the policy table`).toBeDefined();
    expect([...registered].sort()).toEqual(Object.keys(CLOUD_POLICY).sort());
  });

  it('1§6: a route without a row is refused, a stranger must sign in, a known caller is denied', () => {
    expect(decideCloud('GET /api/secrets', new Set(['staff']))).toBe('unknown');
    expect(decideCloud('GET /api/fleet', new Set(['anyone']))).toBe('unauthorised');
    expect(decideCloud('GET /api/fleet', new Set(['anyone', 'box']))).toBe('forbidden');
    expect(decideCloud('GET /trace', new Set())).toBe('allowed');
  });

  it('1§6: each restricted route refuses strangers, wrong tokens and boxes', async () => {
    for (const [route, allowed] of Object.entries(CLOUD_POLICY)) {
      if (allowed.includes('anyone')) continue;
      const [method, place] = route.split(' ') as [string, string];
      const address = place.replace(/:\w+/g, 'x');
      // HTML pages are refused with a page.
      const status = async (token?: string) =>
        (
          await fetch(new URL(address, cloud.url), {
            method,
            headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
          })
        ).status;
      expect(await status(), `${route} for a stranger`).toBe(401);
      expect(await status('no-such-token'), `${route} for a wrong token`).toBe(401);
      if (!allowed.includes('box')) expect(await status(cloud.boxToken), `${route} for a box`).toBe(403);
    }
  });

  it('protocol, Cloud HTTP: the OpenAPI document lists every route and its schemas', async () => {
    interface Operation {
      readonly summary: string;
      readonly parameters?: readonly { readonly name: string; readonly required: boolean }[];
      readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly properties: object } }> };
    }
    const { body } = await cloud.get<{ openapi: string; paths: Record<string, Record<string, Operation>> }>(
      '/api/openapi.json',
      null,
    );
    expect(body.openapi).toBe('3.1.0');
    for (const route of Object.keys(CLOUD_POLICY).filter((one) => !one.includes('*'))) {
      const [method, place] = route.split(' ') as [string, string];
      const described = body.paths[place.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect(described, route).toBeDefined();
      // Console pages are HTML forms.
      if (place.startsWith('/console')) continue;
      expect(described?.summary, route).not.toBe(route);
      if (['POST', 'PUT', 'PATCH'].includes(method) && !WITHOUT_BODY.includes(route))
        expect(described?.requestBody, route).toBeDefined();
    }
    for (const name of Object.keys(READ_SIGNATURES))
      expect(body.paths[`/api/query/${name}`]?.['get']?.parameters?.length, name).toBeGreaterThan(0);
    expect(
      body.paths['/api/query/images-by-survey']?.['get']?.parameters?.map((one) => [one.name, one.required]),
    ).toEqual([
      ['surveyId', true],
      ['limit', false],
      ['after', false],
    ]);
    expect(
      body.paths['/api/uploads']?.['post']?.requestBody?.content['application/json']?.schema.properties,
    ).toMatchObject({ sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' }, bytes: { minimum: 1 } });
  });

  it('protocol, Cloud HTTP: the OpenAPI document matches every JSON response', async () => {
    interface Described {
      readonly responses: { readonly 200: { readonly content: Record<string, { readonly schema?: object }> } };
    }
    const { body } = await cloud.get<{ paths: Record<string, Record<string, Described>> }>('/api/openapi.json', null);
    for (const [place, methods] of Object.entries(body.paths)) {
      if (place.startsWith('/console') || place === '/api/openapi.json') continue;
      for (const [method, { responses }] of Object.entries(methods)) {
        const [[type, { schema }]] = Object.entries(responses[200].content) as [[string, { schema?: object }]];
        expect(type !== 'application/json' || schema !== undefined, `${method} ${place}`).toBe(true);
      }
    }
    const staff = await signInStaff(cloud, 'staff@example.org');
    const content = photograph(3000);
    const survey = surveyOp(staff.user.uid);
    const image = makeOp(
      'image',
      { ...imageOp(survey.docId, content).body, user: { uid: staff.user.uid } },
      { by: staff.user.uid as never },
    );
    const { body: begun } = await cloud.post<{ uploadId: string }>(
      '/api/uploads',
      { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' },
      staff.session,
    );
    const asked: readonly (readonly [route: string, place: string, body?: object])[] = [
      ['POST /api/uploads', '/api/uploads', { sha256: sha256(content), bytes: content.length, type: 'image/jpeg' }],
      ['GET /api/uploads/:id', `/api/uploads/${begun.uploadId}`],
      ['POST /api/ops', '/api/ops', { ops: [survey, image, {}] }],
      ['POST /api/have', '/api/have', { sha256: [sha256(content)] }],
      ['POST /api/devices', '/api/devices', { device: { id: newId(), name: 'Tablet' } }],
      ['POST /api/fleet/boxes', '/api/fleet/boxes', { name: 'A box' }],
      ['POST /api/fn/sign-in-anonymously', '/api/fn/sign-in-anonymously', {}],
      ['POST /api/log', '/api/log', { message: 'x', version: '1', route: '/' }],
      ...[
        '/api/keys',
        '/api/changes',
        '/api/fleet',
        '/api/seal-key',
        '/api/quarantine',
        '/api/errors',
        '/api/reference',
        '/api/auth/providers',
        '/api/auth/jwks',
        '/api/auth/token',
        '/api/auth/edge-token',
        '/api/me',
        '/api/devices',
        '/api/admin/audit',
        '/api/admin/people',
        '/healthz',
        '/readyz',
      ].map((place) => [`GET ${place}`, place] as const),
      ['GET /api/places', '/api/places?q=cair'],
      ['GET /api/admin/users', '/api/admin/users?email=staff@example.org'],
      ['POST /api/admin/users/:uid/roles', `/api/admin/users/${staff.user.uid}/roles`, { verified: true }],
      ['GET /api/query/:name', `/api/query/images-by-survey?surveyId=${survey.docId}`],
    ];
    for (const [route, place, more] of asked) {
      const { status, body: answered } = await (more === undefined
        ? cloud.get(place, staff.session)
        : cloud.post(place, more, staff.session));
      expect(status, route).toBe(200);
      expect(strict(ANSWERS[route]!).safeParse(answered).error?.issues ?? [], route).toEqual([]);
    }
  });

  it('protocol, Origins: a cross-site page is refused, and a page of the census can read', async () => {
    const ask = (origin: string) => fetch(`${cloud.url}/api/keys`, { headers: { origin } });
    expect((await ask('https://elsewhere.example')).status).toBe(403);
    expect((await ask(cloud.url)).headers.get('access-control-allow-origin')).toBe(cloud.url);
    const preflight = await fetch(`${cloud.url}/api/ops`, {
      method: 'OPTIONS',
      headers: { origin: cloud.url, 'access-control-request-method': 'POST' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(cloud.url);
  });
});
