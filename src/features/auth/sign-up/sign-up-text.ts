/** 2§2: opt-in label. */
export const OPT_IN_TEXT = 'Keep me up to date on news from Citizens of the Reef!';
/** 2§2: sign-up heading. */
export const SIGN_UP_HEADING = 'Sign up to join our global community';
