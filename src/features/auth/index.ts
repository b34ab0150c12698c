export { LazyPersonForm as PersonForm } from './sign-in/LazyPersonForm';
export { LazySignInButton as SignInButton } from './sign-in/LazySignInButton';
export { openSecondFactor, openSignIn } from './overlay-state';
