/**
 * Constants of the foundations (1§9) and of the protocol. Image analysis, reporting and the public pages have their own
 * files. Sizes in bytes, times in ms, unless the name says otherwise.
 */
export const LIMITS = {
  /** 1§9: "Random ids are 12 to 19 characters." 16 by default. */
  idLength: 16,
  idLengthMin: 12,
  idLengthMax: 19,

  /** 1§9: "Retries: 3, first delay 1000 ms, doubling." */
  retries: 3,
  retryFirstDelayMs: 1000,
  /** 1§9: "Function timeout 540000 ms." */
  functionTimeoutMs: 540_000,
  /** 1§9: "Socket: receipt timeout 30000 ms; reconnect delay 5000 ms times the attempt count, up to 25000 ms." */
  receiptTimeoutMs: 30_000,
  reconnectDelayMs: 5000,
  reconnectDelayMaxMs: 25_000,
  /** 1§9: "Connectivity check retry backs off to at most every 30 seconds." */
  connectivityRetryMaxMs: 30_000,
  /** 3§9: "Slow connection flag after 10 s." */
  slowConnectionMs: 10_000,

  /** 1§9: "Top lists: 50. Organisation search: 5. Batch query 'in' limit: 30." "Default query limit 10." */
  topList: 50,
  organisationSearch: 5,
  batchIn: 30,
  /** Longest text of a search for people (ours). */
  peopleSearchMax: 200,
  queryLimit: 10,
  /** 1§9: "Random machine-learning image: up to 3 candidates; survey priority 1 to 5; analysis count at most 4." */
  mlCandidates: 3,
  surveyPriorityMin: 1,
  surveyPriorityMax: 5,
  /** Priority of a survey without one (ours). 1 goes first. */
  surveyPriorityDefault: 3,
  mlAnalysisCountMax: 4,
  /** 1§9: "Log history 100." */
  logHistory: 100,
  /** 1§9: "Cluster circle thresholds 100 and 750." */
  clusterThresholds: [100, 750],
  /** 1§9: "persisted store parts are feature flags, survey and region." */
  persistedParts: ['featureFlags', 'survey', 'region'],
  /** 1§5: "Event queries only consider version 2 events in the region that start on or after 1 February 2025." */
  eventVersion: 2,
  eventStartEarliest: '2025-02-01',
  /** 1§4: "Default event length is one day; requiresRegistration defaults to true." */
  eventDefaultLengthMs: 24 * 60 * 60 * 1000,
  eventRequiresRegistration: true,
  /** 1§7: "polygonThreshold (default 0.007) and maxPolygonThreshold (default 1)"; fractions of the picture. */
  polygonThreshold: 0.007,
  maxPolygonThreshold: 1,
  /** 1§9: "Polygon size filter default 0.005 to 1 (Moreton Bay 0.004); expert 0.001 to 0.7." Fractions of the picture. */
  polygonFilter: { minSize: 0.005, maxSize: 1 },
  polygonFilterMoretonBay: { minSize: 0.004, maxSize: 1 },
  polygonFilterExpert: { minSize: 0.001, maxSize: 0.7 },
  /** 1§9: "Reporting year 2025; analysis year 2024 for gbr, 2025 elsewhere." */
  reportingYear: 2025,
  analysisYear: 2025,
  analysisYearGbr: 2024,
  /** 1§9: "Datasets GRC1 to GRC6 for years 2020 to 2025". */
  firstDatasetYear: 2020,
  datasetRounds: 6,

  /** 3§5: "Survey date earliest valid: 1 Sep 2020." */
  surveyDateEarliest: '2020-09-01',
  /** 3§9: "early morning 0-9, late morning 9-12, early afternoon 12-15, late afternoon 15-24"; hours, end exclusive. */
  timeOfDayBands: [
    { name: 'early morning', until: 9 },
    { name: 'late morning', until: 12 },
    { name: 'early afternoon', until: 15 },
    { name: 'late afternoon', until: 24 },
  ],

  /** Protocol: chunks from 64 KiB to 4 MiB, sized so that one lands within a few seconds. */
  chunkBytesMin: 64 * 1024,
  chunkBytesMax: 4 * 1024 * 1024,
  /** Protocol: at most two images at a time. */
  imagesAtATime: 2,
  /** Largest accepted photograph: a 100-megapixel TIFF is 300 MB; evidence is stored unchanged. */
  imageBytesMax: 512 * 1024 * 1024,
  /** Storage reserved on a tablet for operations, previews and the database. */
  storageReserveBytes: 64 * 1024 * 1024,
  /** Estimated photograph size before a tablet has added any, bytes: 12 megapixels. */
  typicalPhotographBytes: 5 * 1024 * 1024,
  /**
   * Protocol, "Freeing": age of the cloud receipt, by the cloud's clock, after which a tablet frees automatically; ms.
   */
  freeAfterMs: 7 * 24 * 60 * 60 * 1000,
  /** Protocol, "Freeing": age of the cloud receipt, by the cloud's clock, after which a box frees; ms. */
  boxFreeAfterMs: 30 * 24 * 60 * 60 * 1000,
  /** Protocol, "Freeing": disk use from which a box frees earlier; fraction of all bytes. */
  boxFreeFromUsed: 0.8,
  /**
   * Photographs to confirm with the cloud per request before freeing: few, so that little time passes between answer
   * and freeing.
   */
  freeAtOnce: 50,
  /** Validity of the cloud's confirmation before freeing, by a monotonic clock; ms. */
  freeProofValidMs: 60_000,
  /** Remaining room at which every screen warns: a typical batch. */
  storageWarnPhotographs: 500,
  /** Most pixels that a server decodes for a size variant; a larger picture is stored without a preview. */
  imagePixelsMax: 80_000_000,
  /** Most pixels of an AVIF that a server decodes: the decoder holds the whole picture, 19 bytes a pixel. */
  imagePixelsAvifMax: 28_000_000,
  /** Largest JSON message, an operation with its body included. */
  messageBytesMax: 2 * 1024 * 1024,
  /** Protocol, "Ceilings": greatest `lc` that counts, far below 2^53. */
  lcMax: 2 ** 31 - 1,
  /** Protocol, "Ceilings": greatest leap of `lc` over what a server knows of the document. */
  lcLeapMax: 10_000,
  /** Protocol, "Ceilings": live values of a field. */
  liveValuesMax: 64,
  /** Protocol, "Ceilings": size of the live writes of a document, characters of JSON. */
  documentCharsMax: 2 * 1024 * 1024,
  /** Protocol, "Ceilings": members in the live writes of a document, see `sizeOfWrite`. */
  documentMembersMax: 20_000,
  /** Protocol, "Ceilings": names in `over` of a document whose writes have not arrived. */
  awaitedMax: 10_000,
  /** Longest name of a person in a page of the change feed, UTF-16 code units. */
  crewNameMax: 200,
  /** Longest display path of a photograph, in UTF-8 bytes. */
  pathBytesMax: 1024,
  /** Protocol: at most 1000 entries a page of the change feed. */
  changesMax: 1000,
  /** Largest page of the change feed, bytes of JSON; one entry always fits. */
  changesBytesMax: 8 * 1024 * 1024,
  /** Protocol: versions this code speaks. */
  protocolMin: 1,
  protocolMax: 1,
} as const;
