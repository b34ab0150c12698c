/** Constants of image analysis (2§9, and where noted 2§2 to 2§5). Times in ms unless the name says otherwise. */
export const ANALYSIS_LIMITS = {
  /** "Completion threshold 0.95 (coverage or progress)." Fraction. */
  completeAt: 0.95,
  /** "rounded to 4 decimals; coordinates rounded to 5 decimals". */
  coverageDecimals: 4,
  coordinateDecimals: 5,
  /** "Pen line width 10 (ML: scaled by canvas width/2000, clamped 0.5..1)". Pixels. */
  penWidth: 10,
  penScaleWidth: 2000,
  penScaleMin: 0.5,
  penScaleMax: 1,
  /** "path simplification tolerance 0.0005; minimum 4 points for a trace". Tolerance in normalised units. */
  simplifyTolerance: 0.0005,
  tracePointsMin: 4,
  /** "Free-draw zoom between 0.9 and about 3 times natural width, 4 steps. ML zoom min 1, max 3, step 0.5." */
  zoomMin: 0.9,
  zoomMax: 3,
  zoomSteps: 4,
  mlZoomMin: 1,
  mlZoomMax: 3,
  mlZoomStep: 0.5,
  /** "ML labelled fill opacity 0.6." */
  mlFillOpacity: 0.6,
  /** "Max simple mode 3. Free-draw version 3; default saved ML version 2.1." */
  simpleModeMax: 3,
  freeDrawVersion: 3,
  mlVersionDefault: 2.1,
  /** 2§4: versions of the step-by-step labelling; 1§9: "Public analysis version: gbr 2.4, hawaii 3.2, others 2.2 or 3.1. Expert version: 4 for gbr, 5 elsewhere." */
  versionGbr: 2.4,
  versionHawaii: 3.2,
  versionOther: 2.2,
  versionOtherLabelsOnly: 3.1,
  expertVersionGbr: 4,
  expertVersion: 5,
  /** "Image sizes 4000, 2000 (ML), 800". Pixels of the longer side. */
  imageSizeFull: 4000,
  imageSizeMl: 2000,
  imageSizePreview: 800,
  /** "analyses list limit 10,000". */
  analysesListMax: 10_000,
  /** "Geocoding minimum 3 characters, limit 5." */
  geocodingCharactersMin: 3,
  geocodingResults: 5,
  /** "Code-send timeout 30,000 ms. Random password length 12." 2§5: "Weak password text: at least 6 characters." */
  codeSendTimeoutMs: 30_000,
  randomPasswordLength: 12,
  passwordMin: 6,
  /** "Profile opt-in default true." */
  optinDefault: true,
  /** "north of -14.5 Northern; north of -20.5 Central; else Southern". Degrees of latitude. */
  northernFrom: -14.5,
  centralFrom: -20.5,
  /** "Very High above 50%; High 20-50%; Medium 11-20%; Low 2-10%; Very low 1% or less." Percent: a band begins above `above`. */
  coralCoverBands: [
    { id: 'veryhigh', above: 50 },
    { id: 'high', above: 20 },
    { id: 'medium', above: 10 },
    { id: 'low', above: 1 },
    { id: 'verylow', above: -Infinity },
  ],
  /** "Target 5 analyses per image; batches of 5,000." */
  analysesPerImage: 5,
  batchImages: 5000,
  /** Ours: answers after which a photograph that is likelier bad than not is retired. */
  badAnswersMin: 2,
  /** Ours: one photograph in so many that a person gets is one that an expert analysed, unmarked. */
  controlEvery: 20,
  /** 2§5: "tolerance 0.05 on coverage, or 0.025 plus half the range for ranged targets". Fractions. */
  demoTolerance: 0.05,
  demoRangeTolerance: 0.025,
  /** 2§2: "Card text is truncated to 120 characters". "Grid columns 3 or 4 per step." */
  cardCharacters: 120,
  gridColumns: [3, 4],
  /** 2§2: "scroll lasts 40 s with a delay of 3.1; logo sizes 150 scrolling, 300 and 200 for Hawaii; hero area height 700px". */
  logoScrollMs: 40_000,
  logoScrollDelayS: 3.1,
  logoSize: 150,
  logoSizesHawaii: [300, 200],
  heroHeight: 700,
  /** 2§4: "Free-draw walkthrough (steps 1 to 5)"; "Public training walkthrough (stages 1-6)". */
  walkthroughSteps: 5,
  trainingStages: 6,
} as const;
