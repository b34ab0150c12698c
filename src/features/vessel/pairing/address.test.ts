import { describe, expect, test } from 'vitest';
import { formatPairingCode, pairingLink, normalisePairingCode } from '../../../domain/pairing-link';
import { parsePairingInput, parseAddress } from './address';

describe('protocol, EDGE_PAIRING: the QR code of a box', () => {
  test('a link contains the box’s address and code, and reads back', () => {
    const link = pairingLink('https://reef-box.local:4100', 'K7QF22MD');
    expect(link).toBe('https://reef-box.local:4100/box?pair=K7QF-22MD');
    expect(parsePairingInput(link)).toEqual({ origin: 'https://reef-box.local:4100', code: 'K7QF22MD' });
    expect(parsePairingInput(pairingLink('https://reef-box.local', ''))).toEqual({
      origin: 'https://reef-box.local',
      code: null,
    });
  });

  test('a bare code is read in any notation', () => {
    expect(parsePairingInput('k7qf-22md')).toEqual({ origin: null, code: 'K7QF22MD' });
    expect(normalisePairingCode(' k7qf 22md ')).toBe('K7QF22MD');
    expect(formatPairingCode('K7QF22MD')).toBe('K7QF 22MD');
  });

  test.each([
    '',
    'WIFI:S:reef;T:WPA;P:secret;;',
    'sha256:9f86d081',
    'https://example.org/tickets?pair=K7QF22MD',
    'REEFCLOCK1:1790000000000',
    'javascript:alert(1)',
    'https://',
  ])('%j is not a pairing code', (text) => {
    expect(parsePairingInput(text)).toBeNull();
  });
});

describe('protocol, Origins and certificates: a typed address', () => {
  test.each([
    ['reef.local', 'https://reef.local'],
    [' Reef.Local. ', 'https://reef.local'],
    ['https://reef.local/box?pair=ABC', 'https://reef.local'],
    ['https:/reef.local', 'https://reef.local'],
    ['reef.local:4100', 'https://reef.local:4100'],
    ['192.168.4.1:4100', 'https://192.168.4.1:4100'],
    ['[fe80::1]:4100', 'https://[fe80::1]:4100'],
    ['reef box', 'https://reefbox'],
    ['http://localhost:4100', 'http://localhost:4100'],
  ])('%j is %s', (typed, origin) => {
    expect(parseAddress(typed)).toEqual({ origin });
  });

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['http://reef.local', 'insecure'],
    ['ana@example.org', 'no-address'],
    ['https://', 'no-address'],
    ['reef.local:99999', 'no-address'],
    ['a%20b', 'no-address'],
  ] as const)('%j is refused: %s', (typed, fault) => {
    expect(parseAddress(typed)).toEqual({ fault });
  });
});
