/** 2§2: the opt-in's words. */
export const OPT_IN_TEXT = 'Keep me up to date on news from Citizens of the Reef!';
/** 2§2: the sign-up screen's heading. */
export const SIGN_UP_HEADING = 'Sign up to join our global community';
