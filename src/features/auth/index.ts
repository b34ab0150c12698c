export { LazyPersonForm as PersonForm } from './LatePersonForm';
export { LazySignInButton as SignInButton } from './LateSignInButton';
export { openSignIn } from './overlay-state';
