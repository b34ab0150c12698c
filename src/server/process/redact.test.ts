import { describe, expect, it } from 'vitest';
import { redactor } from './redact';

const scrub = redactor([
  ['Mara', '<name>'],
  ['Mara Lind', '<name>'],
  ['Person0000000001', '<person>'],
  ['/home/mara/reef', '<home>'],
  ['Jo', '<name>'],
  ['', '<name>'],
]);

describe('personal names in a text are redacted', () => {
  it.each([
    ['signed in mara.lind+x@example.co.uk now', 'signed in <email> now'],
    ['{"by":"Person0000000001"}', '{"by":"<person>"}'],
    ['Mara Lind and mara met Jo and John', '<name> and <name> met <name> and John'],
    ['open /home/mara/reef/census.sqlite', 'open <home>/census.sqlite'],
    ['from 192.168.4.17 to 127.0.0.1', 'from <address> to 127.0.0.1'],
    ['from fe80::1c2f:aa01 at 10:22:33', 'from <address> at 10:22:33'],
    ['authorization: Bearer abc.def-1', 'authorization: Bearer <secret>'],
    ['2026-11-22T01:02:03.004Z sha256 aabb', '2026-11-22T01:02:03.004Z sha256 aabb'],
  ])('%s', (text, clean) => expect(scrub(text)).toBe(clean));
});
