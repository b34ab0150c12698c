export { ConnectionFacts } from './ConnectionFacts';
export { CustodyLegend } from './CustodyLegend';
export { CustodyLights } from './CustodyLights';
export { count } from './fact-words';
export { SendingStrip } from './SendingStrip';
export { Stations } from './Stations';
export { bytesWords, custodyWords, leftWords, lightsOf, lightsOfMany, plain } from './words';
