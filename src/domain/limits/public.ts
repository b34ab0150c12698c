/** Constants of the public pages (3§9, and where noted 3§2 and 3§5). Times in ms unless the name says otherwise. */
export const PUBLIC_LIMITS = {
  /** "Home citizens display threshold 10000." */
  citizensShownAbove: 10_000,
  /** "Input throttle 500 ms on a search component." */
  searchThrottleMs: 500,
  /** 3§2: "A query el or a hash scrolls to that element with a 10 px offset". */
  scrollOffsetPx: 10,
  /** 3§5: "sandboxed frames 560x315". Pixels. */
  embedWidth: 560,
  embedHeight: 315,
  /** "Regex match loop caps 1000 matches and 10 passes." */
  regexMatchesMax: 1000,
  regexPassesMax: 10,
  /** "Dates shown en-AU, long month, Brisbane time zone." */
  locale: 'en-AU',
  timeZone: 'Australia/Brisbane',
  /** "Default carousel image position 50% 30%". */
  carouselImagePosition: '50% 30%',
  /** "Threat facts" and "Funder commitment": display figures. */
  reefLengthKm: 2300,
  massBleachingEvents: 4,
  starfishCoralLossPercent: 40,
  oceanWarmingPercent: 90,
  wetlandsLostPercent: 50,
  commitmentDollars: 2_000_000,
  commitmentYears: 3,
  reefStars: 861,
  rangers: 17,
} as const;
