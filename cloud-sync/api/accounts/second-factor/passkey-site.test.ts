import { describe, expect, it } from 'vitest';
import { passkeySite } from './passkey-site';

const SETTINGS = {
  host: '127.0.0.1',
  publicUrl: new URL('https://reef.example'),
  cloudUrl: new URL('https://cloud.reef.example'),
};

describe('1§6: pages that may ask for a passkey', () => {
  it.each([
    ['https://reef.example', 'reef.example'],
    ['https://cloud.reef.example:8443', 'cloud.reef.example'],
    ['http://localhost:4200', 'localhost'],
    ['http://reef.example', undefined],
    ['https://box-03.local', undefined],
    ['https://reef.example.evil', undefined],
    ['https://evil.reef.example', undefined],
    ['http://127.0.0.1:4200', undefined],
    ['https://192.168.0.7', undefined],
    ['null', undefined],
    [undefined, undefined],
  ])('1§6: the site of %s is %s', (origin, host) =>
    expect(passkeySite({ headers: origin === undefined ? {} : { origin } }, SETTINGS)?.host).toBe(host),
  );

  it('1§6: a service on a network address is no localhost', () =>
    expect(passkeySite({ headers: { origin: 'http://localhost:4200' } }, { ...SETTINGS, host: '0.0.0.0' })).toBeNull());
});
