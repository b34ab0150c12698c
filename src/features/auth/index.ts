export { PersonForm } from './PersonForm';
