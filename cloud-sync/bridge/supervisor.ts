import { supervise } from '../../src/server/supervise';
import { LARGE_HEAP_FLAGS } from '../../src/server/thread-pool';

supervise(import.meta.url, LARGE_HEAP_FLAGS);
