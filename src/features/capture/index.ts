export { addingOf } from './adding';
