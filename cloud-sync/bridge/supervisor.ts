import { supervise } from '../../src/server/supervise';
import { CARRIER_FLAGS } from '../../src/server/thread-pool';

supervise(import.meta.url, CARRIER_FLAGS);
