/** Surroundings of an error report, as a tablet measures them. */
export const SURROUNDINGS = {
  url: 'https://census.example/surveys',
  browser: 'Browser/1',
  screen: '1180x820',
  viewport: '1180x700',
  language: 'en-AU',
  device: 'Tablet',
  host: 'census.example',
  timeZone: 'Australia/Brisbane',
};
