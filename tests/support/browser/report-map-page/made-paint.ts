/** Cover of every sixth reef, percent, so that bands differ; null for the others. */
export const madeCover = (row: number): number | null => (row % 6 === 0 ? (row * 37) % 100 : null);

/** True for reefs with surveys: those with a cover are among them. */
export const isMadeSurveyed = (row: number): boolean => row % 4 === 0 || row % 6 === 0;
