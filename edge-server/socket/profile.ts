import { opHandler } from './op-handler';

/** `profile`: server-owned fields such as `admin` are stored and ignored. */
export const profile = opHandler<'profile'>('profile');
