import { supervise } from '../../src/server/process/supervise';

supervise(import.meta.url);
