// The first screen imports `limits/foundations` directly, so that it does not load the other constants.
export { ANALYSIS_LIMITS } from './limits/analysis';
export { DASHBOARD_LIMITS, DONATION_LIMITS, GLOBE_LIMITS, REPORT_LIMITS, TRACKER_LIMITS } from './limits/reporting';
export { PUBLIC_LIMITS } from './limits/public';
export { LIMITS } from './limits/foundations';
