export { LatePersonForm as PersonForm } from './LatePersonForm';
