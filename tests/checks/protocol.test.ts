import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ERRORS } from '../../src/domain/errors';
import { CLOUD_POLICY } from '../../src/domain/policy/cloud-policy';
import { EDGE_POLICY } from '../../src/domain/policy/edge-policy';

const page = readFileSync(new URL('../../docs/protocol.md', import.meta.url), 'utf8');

/** Policy rows that the page describes together: console pages, app files, tile archives. */
const GROUPED = /^(\/console\b.*|\/\*|\*|\/tiles\/:archive)$/;

test('docs/protocol.md names each route of box and cloud', () => {
  const paths = [...Object.keys(CLOUD_POLICY), ...Object.keys(EDGE_POLICY.http)]
    .map((route) => route.slice(route.indexOf(' ') + 1))
    .filter((path) => !GROUPED.test(path));
  expect(paths.filter((path) => !page.includes(path.replaceAll(/:(\w+)/g, '<$1>')))).toEqual([]);
});

test('docs/protocol.md names each socket event, query and error code', () => {
  const names = [EDGE_POLICY.socket, EDGE_POLICY.query, ERRORS].flatMap((table) => Object.keys(table));
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
