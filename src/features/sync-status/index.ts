export { ConnectionFacts } from './ConnectionFacts';
export { CustodyLegend } from './CustodyLegend';
export { CustodyLights } from './CustodyLights';
export { formatCount } from './fact-text';
export { SendingStrip } from './SendingStrip';
export { Stations } from './Stations';
export { formatBytes, custodyText, formatTimeLeft, lightsOf, lightsOfMany, errorText } from './status-text';
