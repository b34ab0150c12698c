// What the first screen loads imports `limits/foundations` itself: the constants of image analysis and of reporting are no part of it.
export { ANALYSIS_LIMITS } from './limits/analysis';
export { DASHBOARD_LIMITS, DONATION_LIMITS, GLOBE_LIMITS, REPORT_LIMITS, TRACKER_LIMITS } from './limits/reporting';
export { PUBLIC_LIMITS } from './limits/public';
export { LIMITS } from './limits/foundations';
