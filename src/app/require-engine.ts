import type { Readiness } from '../features/shell';
import { storesBlobs } from '../platform/blob-storage';
import { verifySignature } from '../workers/signatures/verify-signature';

/** Browser that cannot do what the app rests on; the error page shows `readiness`. */
export class UnsupportedEngineError extends Error {
  constructor(readonly readiness: Exclude<Readiness, { status: 'ready' | 'insecure' }>) {
    super(readiness.why);
    this.name = 'UnsupportedEngineError';
  }
}

/** Test 2 of RFC 8032, section 7.1. Making a key instead fails now and then in WebKit. */
const KNOWN_SIGNATURE = {
  key: { x: 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw' },
  sig: 'kqAJqfDUyrhyDoILX2QlQKKye1QWUD-Ps3YiI-vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA',
  text: 'r',
} as const;

/**
 * Checks that the browser stores blobs, and supports receipts (Ed25519) and the single sending tab (Web Locks).
 *
 * @throws UnsupportedEngineError if it does not
 */
export async function requireEngine(): Promise<void> {
  const [stores, verifies] = await Promise.all([storesBlobs(indexedDB, () => localStorage), verifiesSignatures()]);
  if (!verifies || (navigator as Partial<Navigator>).locks === undefined)
    throw new UnsupportedEngineError({
      status: 'old-browser',
      why: 'This browser cannot check Ed25519 signatures, which prove that the box has a photograph: it could send, but read nothing of the vessel and confirm nothing.',
    });
  if (!stores)
    throw new UnsupportedEngineError({
      status: 'private',
      why: 'This window does not store photographs. It is probably a private window: in private browsing this browser refuses them, and deletes everything when the window closes.',
    });
}

async function verifiesSignatures(): Promise<boolean> {
  const { key, sig, text } = KNOWN_SIGNATURE;
  try {
    return await verifySignature(key, sig, text);
  } catch (_unsupported) {
    return false;
  }
}
