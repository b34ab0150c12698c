export { LazyPersonForm as PersonForm } from './sign-in/LazyPersonForm';
export { LazySignInButton as SignInButton } from './sign-in/LazySignInButton';
export { openSignIn } from './overlay-state';
