/** What a survey's log takes. The specification names the fields and gives no bounds: these are ours, wide enough for any dive. */
export const SURVEY_LIMITS = {
  /** Minutes: a day. */
  durationMax: 24 * 60,
  /** Metres: clearer than any sea that was measured. */
  visibilityMax: 100,
  /** Letters of a name (reef, site, camera). */
  nameMax: 120,
  /** Letters of the open question. */
  notesMax: 2000,
} as const;
