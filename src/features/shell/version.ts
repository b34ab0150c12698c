export const APP_VERSION = '0.1.0';

/** Release date of this version. A clock before it is wrong, which needs no server to tell. */
export const RELEASE_DATE = '2026-11-20';
