import { describe, expect, it } from 'vitest';
import { SettingsError, isLoopback } from '../src/server/process/environment';
import { needsTls, readSettings } from './settings';

describe('protocol, Commands and settings', () => {
  it('protocol, settings: the defaults, and empty values count as unset', () => {
    expect(readSettings({ HOST: '', EDGE_PORT: '', PUBLIC_URL: '' })).toMatchObject({
      host: '127.0.0.1',
      port: 4100,
      pairing: 'required',
      minFreeBytes: 2 * 1024 ** 3,
      publicUrl: null,
      gpsUrl: null,
      demoSurveys: null,
      adminToken: null,
      allowedOrigins: [],
    });
    expect(readSettings({ REEF_HOME: '/data' }).home).toBe('/data/edge');
    expect(
      readSettings({ ALLOWED_ORIGINS: 'https://a.example, http://b.example:8080/x', MIN_FREE_GB: '0.5' }),
    ).toMatchObject({ allowedOrigins: ['https://a.example', 'http://b.example:8080'], minFreeBytes: 536_870_912 });
  });

  it.each([
    ['EDGE_PORT', '70000'],
    ['EDGE_PORT', '41x'],
    ['EDGE_PORT', '1.5'],
    ['HOST', 'a b'],
    ['PUBLIC_URL', 'ftp://x'],
    ['EDGE_PAIRING', 'maybe'],
    ['ALLOWED_ORIGINS', 'https://a.example, nothing'],
    ['MIN_FREE_GB', '-1'],
    ['DEMO_SURVEYS', '0'],
    ['GPS_URL', 'gpsd:host'],
    ['EDGE_NAME', 'x'.repeat(64)],
    ['EDGE_ADMIN_TOKEN', 'two words of which one is long'],
    ['EDGE_ADMIN_TOKEN', 'x'.repeat(23)],
  ])('protocol, settings: %s=%s is one clear line that names it', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError);
    try {
      readSettings({ [name]: value });
    } catch (error) {
      const { message } = error as Error;
      expect(message).toMatch(new RegExp(`^${name}: [^\\n]+\\.$`));
    }
  });

  it('protocol, settings: an admin token has at least 24 characters', () =>
    expect(readSettings({ EDGE_ADMIN_TOKEN: 'x'.repeat(24) }).adminToken).toHaveLength(24));

  it('protocol, settings: a certificate comes with its key', () => {
    expect(() => readSettings({ EDGE_TLS_CERT: '/x.pem' })).toThrow('both or neither');
  });

  it('protocol, Origins: plain http is for this machine alone', () => {
    expect([
      isLoopback('127.0.0.1'),
      isLoopback('::1'),
      isLoopback('localhost'),
      isLoopback('0.0.0.0'),
      isLoopback('10.0.0.1'),
    ]).toEqual([true, true, true, false, false]);
    expect(needsTls(readSettings({}))).toBe(false);
    expect(needsTls(readSettings({ HOST: '0.0.0.0' }))).toBe(true);
    expect(needsTls(readSettings({ PUBLIC_URL: 'https://box.lan' }))).toBe(true);
    expect(needsTls(readSettings({ PUBLIC_URL: 'http://localhost:4100' }))).toBe(false);
  });
});
