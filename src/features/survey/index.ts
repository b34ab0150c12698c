export { countCustody, type CustodyCounts } from './counts';
export { SurveyLog } from './SurveyLog';
export { SurveysPage } from './SurveysPage';
