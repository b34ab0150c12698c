// The first screen imports `limits/foundations` directly, so that it does not load the other constants.
export { ANALYSIS_LIMITS } from './limits/analysis';
export { REPORT_LIMITS } from './limits/reporting';
export { LIMITS } from './limits/foundations';
