/** Permission of this page to take photographs. */
type CaptureSupport = { readonly status: 'ready' } | { readonly status: 'refused'; readonly why: string };

/** Features that decide it; the browser's own `globalThis` fits. */
interface CaptureEnvironment {
  readonly isSecureContext?: boolean;
  readonly crypto?: { readonly subtle?: unknown };
  readonly indexedDB?: unknown;
}

/**
 * Refuses capture in a browser that cannot store and prove photographs (protocol, "Origins and certificates": plain
 * http on a LAN address has no service worker, no `crypto.subtle`, no storage promise).
 */
export function captureSupport(surroundings: CaptureEnvironment = globalThis): CaptureSupport {
  if (surroundings.isSecureContext === false || surroundings.crypto?.subtle === undefined) {
    return {
      status: 'refused',
      why: 'This page came over a connection that is not secure (plain http), so the browser cannot store photographs safely or prove that they arrived. Open the box at its https address instead, as its trust page shows.',
    };
  }
  if (surroundings.indexedDB === undefined) {
    return {
      status: 'refused',
      why: 'This browser does not let the page store data, so photographs could not be saved. Leave private browsing, or use another browser.',
    };
  }
  return { status: 'ready' };
}
