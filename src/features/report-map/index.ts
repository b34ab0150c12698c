export { asOfText } from './data/read-text';
export { datasetsOf } from './data/report-data';
export { useRead } from './data/use-read';
export { useVisitor } from './data/use-visitor';
export { ReadNote } from './drawer/ReadNote';
export { CoverFacts } from './reef/CoverFacts';
export { CoverPie } from './reef/CoverPie';
export {
  bandText,
  basisText,
  coverText,
  dominantText,
  lastSurveyedText,
  percentText,
  pieShares,
  rangeText,
  resultText,
  versionText,
} from './reef/cover-text';
