import type { Readiness } from '../features/shell';
import { captureSupport } from '../platform/capture-support';

/**
 * Checks that this page may capture (protocol, "Origins and certificates"). What takes longer, or is rarely missing, is
 * checked as the data open (`require-engine.ts`).
 */
export function checkReadiness(): Readiness {
  const support = captureSupport();
  if (support.status === 'ready') return support;
  return window.isSecureContext
    ? { status: 'old-browser', why: support.why }
    : { status: 'insecure', host: window.location.hostname, why: support.why };
}
