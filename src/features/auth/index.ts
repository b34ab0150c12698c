export { LatePersonForm as PersonForm } from './LatePersonForm';
export { mailedLink } from './link-address';
export { LateSignInButton as SignInButton } from './LateSignInButton';
