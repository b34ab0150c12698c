import { describe, expect, it } from 'vitest';
import { ERRORS, ReefError } from './errors';

describe('protocol: errors', () => {
  it('protocol: every error code of the protocol page is in the catalogue, with its HTTP status', () => {
    const statuses = Object.fromEntries(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
    expect(statuses).toMatchObject({
      'bad-message': 400,
      unauthorised: 401,
      'pairing-required': 401,
      'pairing-wrong': 401,
      forbidden: 403,
      'unsupported-version': 400,
      'unknown-survey': 404,
      'unlinked-survey': 400,
      'image-exists': 409,
      incomplete: 409,
      'offset-mismatch': 409,
      'hash-mismatch': 409,
      'receipt-mismatch': 409,
      'unsupported-media': 415,
      'too-large': 413,
      'storage-full': 507,
      'not-found': 404,
      'rate-limited': 429,
      internal: 500,
    });
    for (const code of ['disconnected', 'timeout']) expect(statuses).toHaveProperty(code);
  });

  it('protocol: an error is sent with code, message, retryable and details', () => {
    const wire = new ReefError('offset-mismatch', { offset: 65_536 }).toWire();
    expect(JSON.parse(JSON.stringify(wire))).toEqual({
      code: 'offset-mismatch',
      message: ERRORS['offset-mismatch'].message,
      retryable: true,
      offset: 65_536,
    });
    expect(ReefError.fromWire(wire)).toMatchObject({
      code: 'offset-mismatch',
      details: { offset: 65_536 },
      status: 409,
      retryable: true,
    });
  });

  it('protocol: a detail cannot replace the catalogue’s message and retryable', () => {
    expect(new ReefError('forbidden', { retryable: true, code: 'x' }).toWire()).toMatchObject({
      code: 'forbidden',
      retryable: false,
    });
  });

  it('protocol: the cause of an error is never sent', () => {
    const error = new ReefError('internal', { cause: new Error('/var/secret') });
    expect(error.cause).toBeInstanceOf(Error);
    expect(JSON.stringify(error.toWire())).not.toContain('secret');
  });

  it('protocol: an unknown code becomes internal and keeps its message', () => {
    expect(ReefError.fromWire({ code: 'reef-on-fire', message: 'Hot.' })).toMatchObject({
      code: 'internal',
      message: 'Hot.',
      details: { peerCode: 'reef-on-fire' },
    });
    expect(ReefError.fromWire({ code: 'constructor' })).toMatchObject({
      code: 'internal',
      details: { peerCode: 'constructor' },
    });
    expect(ReefError.fromWire({})).toMatchObject({ code: 'internal' });
  });
});
