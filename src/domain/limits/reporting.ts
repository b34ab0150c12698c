// Constants of reporting and the public pages (3§9, and where noted 3§2 to 3§5). Times in ms unless the name says
// otherwise.

export const DASHBOARD_LIMITS = {
  /** "Dashboard page size 10." */
  pageSize: 10,
  /** "Analysis year window runs from mid-February to mid-February; survey year window from 1 April to 1 April." */
  analysisYearStart: { month: 2, day: 15 },
  surveyYearStart: { month: 4, day: 1 },
  /** "Badges by images analysed": target, and start of its progress. */
  badges: [
    { id: 'citizen-scientist', name: 'Citizen Scientist', from: 0, target: 10 },
    { id: 'scholar', name: 'Scholar', from: 11, target: 100 },
    { id: 'ambassador', name: 'Ambassador', from: 101, target: 200 },
    { id: 'champion', name: 'Champion', from: 200, target: 1000 },
  ],
} as const;

export const REPORT_LIMITS = {
  /** 3§2: "A left drawer 450 wide". Pixels. */
  drawerWidth: 450,
  /** "Layer warning snackbar 15 s." */
  layerWarningMs: 15_000,
  /** "Rubble probability bands 40 to 90 in steps of 10; colour steps at 50, 60, 70, 80, 90." Percent. */
  rubbleBands: [40, 50, 60, 70, 80, 90],
  rubbleColourSteps: [50, 60, 70, 80, 90],
  /** "under 10 low; 10-30 medium; 30-50 medium-high; 50-75 high; over 75 high". Percent; end exclusive. */
  coralCoverBands: [
    { id: 'low', until: 10 },
    { id: 'medium', until: 30 },
    { id: 'medium-high', until: 50 },
    { id: 'high', until: 75 },
    { id: 'high', until: Infinity },
  ],
  /** "top 20% degree heating week score in the past 38 years". */
  hotRefugiaTopPercent: 20,
  hotRefugiaYears: 38,
  /** "Map max zoom 15 (standard) or 20 (report); fly-to 5 s at zoom 15." */
  mapMaxZoom: 15,
  reportMaxZoom: 20,
  flyToMs: 5000,
  flyToZoom: 15,
  /** Ours: pauses until an open report asks again for its public files, and for archives of which it shows another version. */
  fileRecheckMs: 5 * 60_000,
  archiveRecheckMs: 60_000,
  /** "Priority configs differ by census round (grc3 to grc6)." */
  firstPriorityRound: 3,
  /** "Zoning zones". */
  zones: ['Pink', 'Green', 'Orange', 'Olive Green', 'Yellow', 'Dark Blue', 'Light Blue'],
} as const;

export const DONATION_LIMITS = {
  /** "frequencies onetime and monthly; predefined amounts 10, 20, 50, 100; minimum 1; test mode when the key contains _test_". Dollars. */
  frequencies: ['onetime', 'monthly'],
  amounts: [10, 20, 50, 100],
  amountMin: 1,
  testKeyPart: '_test_',
  /** "Tax-deductible gift threshold over $2." */
  taxDeductibleOver: 2,
} as const;

export const GLOBE_LIMITS = {
  /** "earth radius 700, camera perspective 75, distance 750, near 1, far 2000; scale min 0.35, max 1.06". Scene units, degrees. */
  earthRadius: 700,
  perspective: 75,
  distance: 750,
  near: 1,
  far: 2000,
  scaleMin: 0.35,
  scaleMax: 1.06,
  /** "initial lat -30 lng 123, scale 0.45 under 600 px wide else 0.35". Degrees. */
  initialLat: -30,
  initialLng: 123,
  initialScaleNarrow: 0.45,
  initialScale: 0.35,
  narrowBelowPx: 600,
  /** "animation 400 ms for swipes and pinch, 3000 ms zoom; fly animation total 5 s (about 3.3 s zoom phases); nightlight fade and default zoom 2000 ms". */
  swipeMs: 400,
  zoomMs: 3000,
  flyMs: 5000,
  flyZoomMs: 3300,
  nightlightMs: 2000,
  defaultZoomMs: 2000,
  /** "Location scale buffers by distance 200, 150, 100, 60 km. Distance earth radius 6371 km." */
  bufferKm: [200, 150, 100, 60],
  earthRadiusKm: 6371,
  /** 3§4: "out below 0.5, mid below 0.8, else in". */
  zoomOutBelow: 0.5,
  zoomMidBelow: 0.8,
  /** "Welcome every 4th visit; atlas version 0.1." */
  welcomeEvery: 4,
  atlasVersion: 0.1,
  /** 3§2: "texture quality levels 0-2". */
  textureQualityMax: 2,
  /** 3§3: "Reef bounds". Degrees. */
  reefBounds: { northWest: { lat: -9.7013, lng: 141.9791 }, southEast: { lat: -25.9803, lng: 153.2889 } },
} as const;

export const TRACKER_LIMITS = {
  /** "clock updates every 500 ms in fixed UTC+10 (GBRT)". */
  clockMs: 500,
  utcOffsetHours: 10,
  /** "Timed 30s, Timed 15s, Fast x100k (default), Slow x25k, Realtime x1". */
  speeds: [
    { id: 'timed-30', name: 'Timed 30s', durationMs: 30_000 },
    { id: 'timed-15', name: 'Timed 15s', durationMs: 15_000 },
    { id: 'fast', name: 'Fast x100k', factor: 100_000 },
    { id: 'slow', name: 'Slow x25k', factor: 25_000 },
    { id: 'realtime', name: 'Realtime x1', factor: 1 },
  ],
  defaultSpeed: 'fast',
  /** "Slider step 0.001." */
  sliderStep: 0.001,
  /** "blue up to 0.25, yellow up to 0.75, red above". 3§5: "Speeds are capped at 32 km/h in speed colouring." */
  speedBlueUntil: 0.25,
  speedYellowUntil: 0.75,
  speedCapKmh: 32,
  /** "Map zoom 8, max 15, pitch 25 … fit max zoom 13 for static." */
  mapZoom: 8,
  mapMaxZoom: 15,
  mapPitch: 25,
  fitMaxZoom: 13,
  /** "Nav list scrolls when more than 4 tracks; partner logos in rows of 4." */
  navScrollsAbove: 4,
  logosPerRow: 4,
  /** "Dive timer ticks 1 s within 1 min, else 3-60 s." */
  diveTickMs: 1000,
  diveTickWithinMs: 60_000,
  diveTickSlowMinMs: 3000,
  diveTickSlowMaxMs: 60_000,
  /** 3§5: "under 48 total hours show hours, otherwise days"; "over 100 km shows a direction"; "over 1 quick, under 0.1 slow"; "over 300 characters gives a wide popup". */
  hoursBelow: 48,
  directionAboveKm: 100,
  quickAbove: 1,
  slowBelow: 0.1,
  widePopupAbove: 300,
} as const;
