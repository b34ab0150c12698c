export { countCustody, type CustodyCounts } from './list/count-custody';
export { SurveyLog } from './log/SurveyLog';
