import { describe, expect, test } from 'vitest';
import { ReefError } from '../../../domain/errors';
import { addressError, pairingError } from './pairing-error';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const scene = { origin: 'https://reef.local', pageOrigin: 'https://reef-box-2.local', now: NOW, blocked: false };

describe('1§8 errors of pairing, each by its cause', () => {
  test.each([
    ['pairing-required', 'code', 'code'],
    ['pairing-wrong', 'code', 'code'],
    ['rate-limited', 'wait', 'code'],
    ['unsupported-version', 'version', null],
    ['bad-message', 'not-the-box', 'address'],
    ['receipt-mismatch', 'not-the-box', 'address'],
    ['disconnected', 'unreachable', 'address'],
    ['timeout', 'unreachable', 'address'],
    ['internal', 'other', null],
  ] as const)('%s', (code, kind, field) => {
    expect(pairingError(new ReefError(code), scene)).toMatchObject({ kind, field });
  });

  test('too many tries show the wait time of the box', () => {
    expect(pairingError(new ReefError('rate-limited', { retryAfterMs: 41_200 }), scene).text).toContain('for 42 s');
    expect(pairingError(new ReefError('rate-limited', { retryAfterMs: 600_000 }), scene).text).toContain(
      'for 10 minutes',
    );
    expect(pairingError(new ReefError('rate-limited'), scene).text).toContain('for 60 s');
  });

  test('the trust page distinguishes a certificate error from a network error', () => {
    expect(pairingError(new ReefError('disconnected'), scene).trustUrl).toBe('https://reef.local/edge/trust');
    expect(pairingError(new ReefError('disconnected'), { ...scene, pageOrigin: scene.origin }).trustUrl).toBeNull();
    expect(pairingError(new ReefError('disconnected'), { ...scene, blocked: true }).kind).toBe('elsewhere');
  });

  test('a clock that is years off is named before any other cause', () => {
    for (const now of [0, Date.parse('2101-01-01')])
      expect(pairingError(new ReefError('disconnected'), { ...scene, now, blocked: true }).kind).toBe('clock');
    // A box that answered was trusted, so the clock is not the cause.
    expect(pairingError(new ReefError('pairing-wrong'), { ...scene, now: 0 }).kind).toBe('code');
  });

  test('unknown and address errors have a text', () => {
    expect(pairingError(new TypeError('x'), scene).kind).toBe('other');
    expect(addressError('insecure')).toMatchObject({ field: 'address', kind: 'address' });
  });
});
