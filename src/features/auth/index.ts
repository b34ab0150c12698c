export { LatePersonForm as PersonForm } from './LatePersonForm';
export { LateSignInButton as SignInButton } from './LateSignInButton';
export { openSignIn } from './overlay-state';
