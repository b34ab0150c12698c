import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cloudPolicyName } from '../../cloud-sync/api/routes/guard';
import { READ_NAMES } from '../../cloud-sync/api/store/reads';
import { CLOUD_POLICY, cloudPolicyRow, decideCloud } from '../../src/domain/policy/cloud-policy';
import type { TestCloud } from '../support/cloud';
import { startCloud } from '../support/cloud';

/** Routes that do something and take nothing. */
const WITHOUT_BODY = ['POST /api/fleet/boxes/:node/revoke', 'POST /api/quarantine/:opId/release', 'POST /api/auth/sign-out', 'POST /api/auth/providers/:id/unlink'];

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startCloud();
});
afterAll(() => cloud.close());

describe('1§6: who may do what ashore', () => {
  it('1§6: every registered route has a row, and every row a route', () => {
    const registered = new Set(cloud.cloud.routes.map((route) => cloudPolicyName(...(route.split(' ') as [string, string]))));
    for (const route of registered) expect(cloudPolicyRow(route), `${route} has no row in the policy table`).toBeDefined();
    expect([...registered].sort()).toEqual(Object.keys(CLOUD_POLICY).sort());
  });

  it('1§6: what has no row is refused, a stranger is told to sign in, and who is known that they may not', () => {
    expect(decideCloud('GET /api/secrets', new Set(['staff']))).toBe('unknown');
    expect(decideCloud('GET /api/fleet', new Set(['anyone']))).toBe('unauthorised');
    expect(decideCloud('GET /api/fleet', new Set(['anyone', 'box']))).toBe('forbidden');
    expect(decideCloud('GET /trace', new Set())).toBe('allowed');
  });

  it('1§6: each route that is not for anyone refuses strangers, wrong tokens, and boxes that have no business there', async () => {
    for (const [route, allowed] of Object.entries(CLOUD_POLICY)) {
      if (allowed.includes('anyone')) continue;
      const [method, place] = route.split(' ') as [string, string];
      const address = place.replace(/:\w+/g, 'x');
      // A page for people is refused with a page.
      const status = async (token?: string) => (await fetch(new URL(address, cloud.url), { method, headers: token === undefined ? {} : { authorization: `Bearer ${token}` } })).status;
      expect(await status(), `${route} for a stranger`).toBe(401);
      expect(await status('no-such-token'), `${route} for a wrong token`).toBe(401);
      if (!allowed.includes('box')) expect(await status(cloud.boxToken), `${route} for a box`).toBe(403);
    }
  });

  it('protocol, Cloud HTTP: the OpenAPI document names every route, with the schemas that are checked', async () => {
    interface Operation {
      readonly summary: string;
      readonly parameters?: readonly { readonly name: string; readonly required: boolean }[];
      readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly properties: object } }> };
    }
    const { body } = await cloud.get<{ openapi: string; paths: Record<string, Record<string, Operation>> }>('/api/openapi.json', null);
    expect(body.openapi).toBe('3.1.0');
    for (const route of Object.keys(CLOUD_POLICY).filter((one) => !one.includes('*'))) {
      const [method, place] = route.split(' ') as [string, string];
      const described = body.paths[place.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      expect(described, route).toBeDefined();
      // The console's pages are forms for people.
      if (place.startsWith('/console')) continue;
      expect(described?.summary, route).not.toBe(route);
      if (['POST', 'PUT', 'PATCH'].includes(method) && !WITHOUT_BODY.includes(route)) expect(described?.requestBody, route).toBeDefined();
    }
    for (const name of READ_NAMES) expect(body.paths[`/api/query/${name}`]?.['get']?.parameters?.length, name).toBeGreaterThan(0);
    expect(body.paths['/api/query/images-by-survey']?.['get']?.parameters?.map((one) => [one.name, one.required])).toEqual([['surveyId', true], ['limit', false], ['after', false]]);
    expect(body.paths['/api/uploads']?.['post']?.requestBody?.content['application/json']?.schema.properties).toMatchObject({ sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' }, bytes: { minimum: 1 } });
  });

  it('protocol, Origins: a page of another site is refused, one of the census may read', async () => {
    const ask = (origin: string) => fetch(`${cloud.url}/api/keys`, { headers: { origin } });
    expect((await ask('https://elsewhere.example')).status).toBe(403);
    expect((await ask(cloud.url)).headers.get('access-control-allow-origin')).toBe(cloud.url);
    const preflight = await fetch(`${cloud.url}/api/ops`, { method: 'OPTIONS', headers: { origin: cloud.url, 'access-control-request-method': 'POST' } });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(cloud.url);
  });
});
