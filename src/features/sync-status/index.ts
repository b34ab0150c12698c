export { ConnectionFacts } from './ConnectionFacts';
export { CustodyLegend } from './CustodyLegend';
export { CustodyLights } from './CustodyLights';
export { SendingStrip } from './SendingStrip';
export { Stations } from './Stations';
export { custodyText, editText, formatTimeLeft, lightsOf, lightsOfMany, errorText } from './status-text';
