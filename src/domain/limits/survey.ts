/** Bounds of a survey's log. Ours, wide enough for any dive: the specification has none. */
export const SURVEY_LIMITS = {
  /** Minutes: a day. */
  durationMax: 24 * 60,
  /** Metres: clearer than any measured sea. */
  visibilityMax: 100,
  /** Characters of a name (reef, site, camera). */
  nameMax: 120,
  /** Characters of the open question. */
  notesMax: 2000,
} as const;
