import { supervise } from '../../src/server/supervise';

supervise(import.meta.url);
