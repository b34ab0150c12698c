import { supervise } from '../../src/server/process/supervise';
import { LARGE_HEAP_FLAGS } from '../../src/server/process/thread-pool';

supervise(import.meta.url, LARGE_HEAP_FLAGS);
