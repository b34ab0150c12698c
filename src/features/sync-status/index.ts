export { ConnectionFacts } from './ConnectionFacts';
export { CustodyLights } from './CustodyLights';
export { SendingStrip } from './SendingStrip';
export { Stations } from './Stations';
export { bytesWords, count, custodyWords, leftWords, lightsOf, plain } from './words';
