/** Batches of lookups: those of one event-loop turn, up to 512 keys each. */
export const LOOKUP_BATCH = { max: 512, schedule: (flush: () => void): void => void setImmediate(flush) } as const;
