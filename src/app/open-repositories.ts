import type { Repositories } from '../data/repositories';

/** Opens the tablet's data, once for the page. */
export function openRepositories(): Promise<Repositories> {
  return Promise.reject(new Error('The store of the tablet is not built in yet.'));
}
