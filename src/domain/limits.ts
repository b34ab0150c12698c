/** Every constant of the specification and of the protocol, once. Sizes in bytes, times in ms, unless the name says else. */
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

  /** 3§5: "Survey date earliest valid: 1 Sep 2020." */
  surveyDateEarliest: '2020-09-01',
  /** 3§9: "early morning 0-9, late morning 9-12, early afternoon 12-15, late afternoon 15-24"; hours, the end not held. */
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
  /** Largest photograph taken: a 100-megapixel TIFF is 300 MB; evidence is kept as it is. */
  imageBytesMax: 512 * 1024 * 1024,
  /** Most pixels a server decodes for a size variant; a larger picture is kept and has no preview. */
  imagePixelsMax: 80_000_000,
  /** Largest JSON message, an operation with its body included. */
  messageBytesMax: 2 * 1024 * 1024,
  /** Longest display path of a photograph, in UTF-8 bytes. */
  pathBytesMax: 1024,
  /** Protocol: at most 1000 entries a page of the change feed. */
  changesMax: 1000,
  /** Protocol: versions this code speaks. */
  protocolMin: 1,
  protocolMax: 1,
} as const;
