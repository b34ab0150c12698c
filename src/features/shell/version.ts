/** The app's version, as the box and the You page show it. */
export const APP_VERSION = '0.1.0';

/** The day this version was made. A clock that is before it is wrong, with no server needed to say so. */
export const RELEASE_DATE = '2026-11-20';
