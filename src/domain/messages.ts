// Messages of the specification, word for word. "Ours" marks texts that it describes without wording.

/** 1§5: problems with a record. */
export const VALIDATION_MESSAGES = {
  userIdRequired: 'User ID is required',
  userDataRequired: 'User data is required',
  firstNameRequired: 'First name is required',
  emailInvalid: 'Email is invalid',

  surveyIdRequired: 'Survey ID is required',
  surveyNotLinked: 'Survey not Linked to any user. Please try again',
  /** 3§5 has the date only; the text is ours. */
  surveyDateTooEarly: 'The survey date is before 1 September 2020, when the census began. Please check the date.',
  /** Ours: a date that does not exist. */
  surveyDateInvalid: 'The survey date is not a valid date. Please check it.',
  /** Ours: names the tablet's date, as its clock may be wrong. */
  surveyDateInFuture: (today: string) => `This date is in the future: this tablet’s clock says ${today}.`,

  imageExists: 'Image Id already exists for this survey. Please try again',

  eventIdRequired: 'Event ID is required',
  eventHandleRequired: 'Event handle is required',
  eventCreatorRequired: 'Created by user ID is required',
  eventTitleRequired: 'Title is required',
  eventTypeRequired: 'Type is required',
  eventStartRequired: 'Start date is required',
  eventEndRequired: 'End date is required',
  eventStartBeforeEnd: 'Start date must be before end date',
  eventLocationRequired: 'Location is required for scheduled or active events',

  /** 1§5 "wording not shown" for these two: ours. */
  datasetIdRequired: 'Dataset ID is required',
  featureIdRequired: 'Map feature ID is required',

  noUserForEmail: (email: string) => `No user found for given Email ID ${email}`,
  /** 1§5: "exact wording not shown": ours. */
  userHasEventHandle: (email: string, handle: string) =>
    `The user with Email ID ${email} is already linked to ${handle}.`,
} as const;

/** 1§8: error catalogue of accounts, events and image administration. */
export const FOUNDATION_MESSAGES = {
  authNotInitialised: 'Authentication service could not be initialized. Please refresh the page and try again.',
  notSignedIn: 'No user is currently signed in',
  eventNotFound: (id: string) => `Event with ID ${id} not found`,
  participantExists: (id: string) => `Participant with ID ${id} already exists in event`,
  participantNotFound: (id: string) => `Participant with ID ${id} not found in event`,
  eventScheduleFailed: (errors: readonly string[]) => `Failed to schedule event: ${errors.join(', ')}`,
  eventActivateFailed: 'Failed to activate event: Event is not in scheduled status or start date is in the future',
  eventCompleteFailed: 'Failed to complete event: Event is not in active status or end date is in the future',
  eventCancelFailed: 'Failed to cancel event: Event is already completed or cancelled',
  userNotFound: (id: string) => `User with ID ${id} not found`,
  deleteAnalysisFailed: 'Error deleting image analysis',
  markBadImageFailed: 'Error marking bad image',
} as const;

/** 1§8: function error codes that are retried. */
export const RETRYABLE_FUNCTION_CODES = [
  'deadline-exceeded',
  'unavailable',
  'resource-exhausted',
  'internal',
  'network-request-failed',
] as const;

/**
 * 2§8: sign-in by code. If the specification describes a message without wording ("too weak, at least 6 characters"),
 * the sentence is ours.
 */
export const AUTH_MESSAGES = {
  'auth/invalid-email': 'Please enter a valid email address.',
  'auth/user-disabled': 'This account is disabled. Please contact support.',
  'auth/user-not-found': "We couldn't find an account with this email. Would you like to create one?",
  'auth/wrong-password': 'The password is incorrect. Please try again or reset it.',
  'auth/too-many-requests': 'There were too many attempts. Please try again later or reset your password.',
  'auth/popup-closed-by-user': 'The sign-in window was closed before it was finished. Please try again.',
  'auth/weak-password': 'The password is too weak. Please use at least 6 characters.',
  'auth/email-already-in-use': 'This email is already in use. Please sign in or use another email.',
  'auth/network-request-failed': 'There was a network error. Please check your connection.',
  'auth/operation-not-allowed': 'This sign-in method is not enabled. Please contact support.',
  'auth/account-exists-with-different-credential':
    'An account with this email uses another sign-in method. Please use that one.',
  'auth/cancelled-popup-request': 'The sign-in window was cancelled. Please try again.',
  'auth/popup-blocked': 'The browser blocked the sign-in window. Please allow popups for this site.',
  'auth/unauthorized-domain': 'This domain is not authorized for sign-in.',
} as const;
export type AuthCode = keyof typeof AUTH_MESSAGES;

/** Second factor of staff and admins: ours. */
export const SECOND_FACTOR_MESSAGES = {
  wrongCode: 'That code is wrong, or was used already. Enter the code that your app shows now.',
  wrongRecoveryCode: 'That recovery code is wrong, or was used already.',
  wrongPasskey: 'This passkey was not accepted. Nothing was changed. Try again, or use a code.',
  passkeyElsewhere: 'Passkeys work only on the shore’s own page. Open it there, or use a code.',
  tooManyPasskeys: 'You have ten passkeys already. Remove one first.',
  needed: 'Confirm that it is you with your second step first. Nothing was changed.',
  addressFirst: 'Confirm your email address first: sign in once with a code that is mailed to it.',
} as const;

/** 2§8: sign-up, profile and analysis. */
export const ANALYSIS_MESSAGES = {
  signUpEmailInUse: 'Account already exists with given email',
  signUpFailed: 'Unexpected error happened. Please try again!',
  /** 3§8 calls it ACCOUNT_CREATED_SUCCESSFULLY. */
  signUpSucceeded: 'Account is created successfully!',
  authUnavailable: 'There was a problem with the authentication service. Please refresh the page and try again.',
  authFailed: 'An error occurred during authentication. Please try again.',
  profileSaveFailed: 'An error occurred while saving your profile. Please try again.',
  profileUpdateFailed: 'An error occurred while updating your profile. Please try again.',
  signOutFailed: 'An error occurred while signing out. Please try again.',
  accountCreated: 'Account created successfully!',
  signedIn: 'Signed in successfully!',
  signedInWithGoogle: 'Signed in with Google successfully!',
  signedInAnonymously: 'Signed in anonymously!',
  signedOut: 'You have been signed out successfully.',
  profileUpdated: 'Your profile has been updated successfully!',
  analysisSaveFailed: 'Failed to save analysis',
  // 2§5
  profileEmailInvalid: 'Please enter a valid email address',
  emailAndPasswordInvalid: 'Please enter a valid email and password',
  nameRequired: 'Please provide a name',
  nameRequiredOnSave: 'Please enter your name before saving.',
  valueRequired: 'Please provide a value',
  validationFailed: (errors: readonly string[]) => `Validation failed: ${errors.join(', ')}`,
  // 2§2
  codeSent: (email: string) => `You've got mail! We have sent an email with a code to ${email}`,
  oneMoment: 'One moment...',
  saving: 'Saving...',
  signingOut: 'Signing out...',
} as const;

/** 3§8 and the failure messages of 3§2: reporting, donation, public pages, administration. */
export const REPORTING_MESSAGES = {
  subscriptionExists: 'Subscription already exists for provided email id',
  transactionFailed: 'This transaction has failed, Please try again!',
  tryAgain: 'Try again!',
  lost: 'You got lost :(',
  someErrorOccurred: 'Some error occurred',
  datasetCreateFailed: 'Error creating Dataset',
  mobileFirefox:
    'We love Firefox! Sadly this page, our Citizens Atlas, does not and goes all sleepy sloth on Firefox mobile. At this stage we recommend Chrome as a performant alternative. Thank you for your understanding and supporting the open web.',
  colourExtractionFailed: '404 (Not Found)',
  comingSoon: 'coming soon',
  loadingTracks: 'loading tracks',
  exportingEvent: (id: string) => `Exporting Data for Event ${id}`,
  eventDeleted: (id: string) => `Deleted Event ${id}`,
  averageFetched: 'Successfully fetched validation average for events',
  eventDeleteFailed: (id: string) => `Failed to Delete Event ${id}`,
  averageFailed: 'Failed to fetch validation average for events',
  /** Spelling of the product. */
  someErrorOccured: 'Some Error Occured',
  linkToSurveysFailed: 'Some error occured while linking dataset to surveys',
  linkToFeaturesFailed: 'Some error occured while linking dataset to features',
  userLinkFailed: (handle: string, message: string) => `User link failed for event ${handle}: ${message}`,
  videoUnsupported: 'Your browser does not support the video tag.',
  webglMissing: 'This browser does not support WebGL.',
  webglAdvice: 'Please use a different browser.',
  dashboardAtEdge: 'Your dashboard is not available at the edge! Try again when you get home.',
  emailForConfirmation: 'Please provide your email for confirmation',
  /** 3§5 and 3§8 have these codes with "wording not shown": ours. */
  PLEASE_PROVIDE_FIRST_NAME: 'Please provide your first name.',
  PLEASE_PROVIDE_EMAIL: 'Please provide your email.',
  ALREADY_SUBSCRIBED_USER: 'Subscription already exists for provided email id',
} as const;

/** Message for a sign-in error: the catalogue's, else the error's own, else the general one (2§8 "Default"). */
export function authMessage(code: string, own?: string): string {
  if (Object.hasOwn(AUTH_MESSAGES, code)) return AUTH_MESSAGES[code as AuthCode];
  return own !== undefined && own !== '' ? own : ANALYSIS_MESSAGES.authFailed;
}
