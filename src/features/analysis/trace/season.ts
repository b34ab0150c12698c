/** Set when the app is built (2§2: "when the analysis season is closed (an environment flag, which experts bypass)"). */
const SEASON = import.meta.env['VITE_ANALYSIS_SEASON'] as string | undefined;

/** Whether whoever is no expert finds the analysis closed. */
export const isSeasonClosed = SEASON === 'closed';
