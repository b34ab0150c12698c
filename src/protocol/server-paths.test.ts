import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLOUD_POLICY } from '../domain/policy/cloud-policy';
import { EDGE_POLICY } from '../domain/policy/edge-policy';
import { SERVER_PATH_PATTERN, SERVER_PATHS } from './server-paths';

const routes = readdirSync(path.join(import.meta.dirname, '../routes'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /^[^-]/.test(path.basename(file)) && file.endsWith('.tsx') && !file.startsWith('__root'))
  .map((file) => `/${file.replace(/\.tsx$/, '').replaceAll(/[.\\]/g, '/')}`.replace(/\/(index)?$/, '') || '/');

describe('protocol: paths of the servers', () => {
  it('protocol: every route of box and cloud is a server path', () => {
    const served = [...Object.keys(EDGE_POLICY.http), ...Object.keys(CLOUD_POLICY)]
      .map((row) => row.split(' ')[1] ?? '')
      .filter((place) => place !== '/*' && place !== '*');
    expect(served.length).toBeGreaterThan(100);
    expect(served.filter((place) => !SERVER_PATH_PATTERN.test(place))).toEqual([]);
  });

  it('protocol: no page of the app is a server path', () => {
    expect(routes).toContain('/surveys/$surveyId');
    expect(routes.filter((place) => SERVER_PATH_PATTERN.test(place))).toEqual([]);
  });

  it.each(SERVER_PATHS)('protocol: /%s is a server path, alone, with a query and with more path', (name) => {
    for (const end of ['', '/', '/more', '?a=b']) expect(SERVER_PATH_PATTERN.test(`/${name}${end}`), end).toBe(true);
    expect(SERVER_PATH_PATTERN.test(`/${name}s-of-the-app`)).toBe(false);
  });
});
