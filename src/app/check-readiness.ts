import type { Readiness } from '../features/shell';
import { captureSupport } from '../platform/capture-support';

/**
 * Checks that this page may capture (protocol, "Origins and certificates") and that the browser supports receipts
 * (Ed25519) and the single sending tab (Web Locks).
 */
export async function checkReadiness(): Promise<Readiness> {
  const support = captureSupport();
  if (support.status === 'refused') {
    return window.isSecureContext
      ? { status: 'old-browser', why: support.why }
      : { status: 'insecure', host: window.location.hostname, why: support.why };
  }
  const old: Readiness = {
    status: 'old-browser',
    why: 'This browser cannot check Ed25519 signatures, which prove that the box has a photograph.',
  };
  if (navigator.locks === undefined) return old;
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    return { status: 'ready' };
  } catch {
    return old;
  }
}
