import { z } from 'zod';

/**
 * Figures measured when a photograph is added, without a verdict, so that thresholds (`hints.ts`) can change. Measured
 * on an upright copy of 800 px by `src/imaging/quality`.
 */
export const qualitySchema = z.object({
  /** Measuring method; figures of different methods are not comparable. */
  v: z.literal(1),
  /** Fine detail relative to coarse detail: about 0 if blurred; absent without any detail. */
  sharpness: z.number().optional(),
  /** Standard deviation of the luma, 0..127.5. */
  contrast: z.number(),
  /** Luma, 0..255: mean, 5th and 95th percentile. */
  luma: z.object({ mean: z.number(), p5: z.number(), p95: z.number() }),
  /** Fractions 0..1 of black or white pixels without detail. */
  clipped: z.object({ dark: z.number(), bright: z.number() }),
  /** Fraction 0..1 that is smooth and coloured like open water. */
  water: z.number(),
  /** 64-bit difference hash as 16 hex letters. */
  dhash: z.string().regex(/^[0-9a-f]{16}$/),
});
export type Quality = z.infer<typeof qualitySchema>;
