export { reefSearch } from './reef-address';
