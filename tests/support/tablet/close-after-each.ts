// Set-up file: files that share a process load a helper once, so a hook in it would serve the first of them alone.
import { afterEach } from 'vitest';
import { closeAll } from './closers';

afterEach(closeAll);
