export { addingQueueFor } from './queue/adding-queue';
