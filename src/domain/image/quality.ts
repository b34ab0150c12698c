import { z } from 'zod';

/**
 * What was measured on a photograph when it was added: figures, no verdicts, so that what they mean may change later
 * (`hints.ts`). Measured on an upright copy whose longer side is 800 px; how, stands in `src/imaging/quality`.
 */
export const qualitySchema = z.object({
  /** Which way of measuring; figures of another way are not compared. */
  v: z.literal(1),
  /** How much fine detail there is beside the coarse one: about 0 where everything is blurred; absent where there is no detail at all. */
  sharpness: z.number().optional(),
  /** Standard deviation of the luma, 0..127.5. */
  contrast: z.number(),
  /** Luma, 0..255: mean, and the values below which 5 % and 95 % of the pixels lie. */
  luma: z.object({ mean: z.number(), p5: z.number(), p95: z.number() }),
  /** Fractions 0..1 of pixels that are black or white without any detail. */
  clipped: z.object({ dark: z.number(), bright: z.number() }),
  /** Fraction 0..1 of the picture that is smooth and of the colour of open water. */
  water: z.number(),
  /** Difference hash of 64 bits as 16 hex letters. */
  dhash: z.string().regex(/^[0-9a-f]{16}$/),
});
export type Quality = z.infer<typeof qualitySchema>;
