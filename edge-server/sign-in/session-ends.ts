/** Reason for which a session ended. It still delivers, and reads nothing. */
export const SESSION_ENDS = ['unpaired', 'ended', 'unused', 'revoked'] as const;
export type SessionEnd = (typeof SESSION_ENDS)[number];

export const SAFE_TEXT = 'What this tablet holds is safe and is still sent.';
const PAIR_AGAIN_TEXT = 'To see the vessel’s surveys here, pair it again with the code that the box shows.';

/** Message for a tablet that proved no key, or not the one of its session. */
export const NO_KEY_TEXT = `This tablet did not prove to the box which tablet it is. ${SAFE_TEXT} To see the vessel’s surveys here, update the app and the browser, and if this stays, pair again with the code that the box shows.`;

/** Message for the tablet of an ended session. */
export const END_TEXTS: Readonly<Record<SessionEnd, string>> = {
  unpaired: `This tablet was unpaired aboard. ${SAFE_TEXT} ${PAIR_AGAIN_TEXT}`,
  ended: `The access of this tablet was ended aboard. ${SAFE_TEXT} ${PAIR_AGAIN_TEXT}`,
  unused: `This tablet was away from the box for more than 60 days. ${SAFE_TEXT} ${PAIR_AGAIN_TEXT}`,
  revoked: `This tablet was revoked ashore, so no one is signed in on it. ${SAFE_TEXT}`,
};
