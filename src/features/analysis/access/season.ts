import type { PersonRoles } from '../../../data/repositories';

/**
 * Season, set when the app is built (2§2: "when the analysis season is closed (an environment flag, which experts
 * bypass)").
 */
const SEASON = import.meta.env['VITE_ANALYSIS_SEASON'] as string | undefined;

/**
 * True if analysis is closed for the user: outside of the season and not an expert (2§6). @param roles null before they
 * are read: nothing closes on a guess
 */
export const isClosedFor = (
  roles: Pick<PersonRoles, 'isExpert'> | null,
  season: string | undefined = SEASON,
): boolean => season === 'closed' && roles !== null && !roles.isExpert;
