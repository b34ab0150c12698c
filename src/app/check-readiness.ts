import type { Readiness } from '../features/shell';
import { captureSupport } from '../platform/capture-support';

/**
 * Whether this page may capture at all (protocol, "Origins and certificates"), and whether the browser has what receipts
 * (Ed25519) and the one sending tab (Web Locks) need.
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
    why: 'The app proves with a signature (Ed25519) that the box has a photograph, and this browser cannot check one.',
  };
  if (navigator.locks === undefined) return old;
  try {
    await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
    return { status: 'ready' };
  } catch {
    return old;
  }
}
