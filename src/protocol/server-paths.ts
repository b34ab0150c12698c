/**
 * First path segments that belong to the servers, of box and cloud: the app has no page there, and its service worker
 * leaves them to the network. Some are reserved by the specification and not built yet.
 */
export const SERVER_PATHS = [
  'api',
  'cache',
  'cdn',
  'console',
  'edge',
  'healthz',
  'home-page',
  'metrics',
  'mlRequestJson',
  'readyz',
  'tiles',
  'trace',
  'users',
] as const;

/** Matches a path of a server, with or without a query. */
export const SERVER_PATH_PATTERN = new RegExp(`^/(?:${SERVER_PATHS.join('|')})(?:[/?]|$)`);
