export { addingQueueFor } from './adding';
