import { opHandler } from './op-handler';

/** `profile`: who a person is. What it says of `admin` and the like is kept and ignored: those fields are the server's. */
export const profile = opHandler<'profile'>('profile');
