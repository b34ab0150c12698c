import { describe, expect, it } from 'vitest';
import { SettingsError } from '../../src/server/process/environment';
import { readBridgeSettings, readImportSettings } from './settings';

const TOKEN = { BRIDGE_TOKEN: 'a-token-of-a-box-1' };

describe('protocol, commands and settings: the bridge', () => {
  it('command-line options override the environment', () => {
    const settings = readBridgeSettings(['--edge', 'https://box.lan:4100', '--cloud', 'https://reef.example'], {
      ...TOKEN,
      EDGE_URL: 'http://localhost:1',
      BRIDGE_MAX_KBPS: '64',
      BRIDGE_DAILY_MB: '50',
      REEF_HOME: '/home/reef',
    });
    expect(settings).toMatchObject({
      edge: new URL('https://box.lan:4100'),
      cloud: new URL('https://reef.example'),
      token: 'a-token-of-a-box-1',
      bytesPerSecond: 8000,
      dailyBytes: 50_000_000,
      home: '/home/reef/bridge',
      edgeHome: '/home/reef/edge',
    });
  });

  it('by default both nodes are on this machine, without cap and budget', () => {
    expect(readBridgeSettings([], TOKEN)).toMatchObject({
      edge: new URL('http://127.0.0.1:4100'),
      cloud: new URL('http://127.0.0.1:4200'),
      bytesPerSecond: null,
      dailyBytes: null,
      edgeToken: null,
    });
  });

  it('a fingerprint is read in the notation of consoles and labels', () => {
    const print = 'AB:'.repeat(31) + 'CD';
    expect(readBridgeSettings(['--edge-fingerprint', print], TOKEN).edgeFingerprint).toBe(`${'ab'.repeat(31)}cd`);
  });

  it('a token may begin with a dash, and an option is not taken for a token', () => {
    expect(readBridgeSettings(['--token', '-a-token-of-a-box', '--edge-token', '--its-admin'], {})).toMatchObject({
      token: '-a-token-of-a-box',
      edgeToken: '--its-admin',
    });
    expect(readImportSettings(['a.reef', '--token', '-a-token-of-a-box'], {}).token).toBe('-a-token-of-a-box');
    expect(() => readBridgeSettings(['--token', '--cloud', 'https://reef.example'], {})).toThrow(
      "Option '--token' argument is ambiguous",
    );
  });

  it.each([
    [[], {}, 'BRIDGE_TOKEN'],
    [['--edge', 'box.lan'], TOKEN, 'EDGE_URL'],
    [['--cloud', 'http://reef.example'], TOKEN, 'CLOUD_URL'],
    [
      ['--edge', 'http://192.168.7.1:4100'],
      TOKEN,
      'EDGE_URL: must be https where it is not this machine; http://192.168.7.1:4100 is not.',
    ],
    [['--boat', 'x'], TOKEN, '--boat'],
    [[], { ...TOKEN, BRIDGE_MAX_KBPS: 'fast' }, 'BRIDGE_MAX_KBPS'],
    [[], { ...TOKEN, BRIDGE_DAILY_MB: '0' }, 'BRIDGE_DAILY_MB'],
    [['--edge-fingerprint', 'abc'], TOKEN, 'EDGE_CA_FINGERPRINT'],
  ])('%j %j: the error is one clear line', (args, env, names) => {
    expect(() => readBridgeSettings(args, env)).toThrow(SettingsError);
    expect(() => readBridgeSettings(args, env)).toThrow(names);
  });
});
