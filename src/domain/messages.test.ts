import { describe, expect, it } from 'vitest';
import { ERRORS } from './errors';
import {
  ANALYSIS_MESSAGES,
  AUTH_MESSAGES,
  authMessage,
  FOUNDATION_MESSAGES,
  RETRYABLE_FUNCTION_CODES,
  VALIDATION_MESSAGES,
} from './messages';

// Repeats the messages on purpose, so that a typo in the source is found.
describe('1§5 and 1§8 the prescribed texts', () => {
  it('1§5 event rules have the prescribed texts', () => {
    expect(
      Object.entries(VALIDATION_MESSAGES)
        .filter(([name]) => name.startsWith('event'))
        .map(([, words]) => words),
    ).toEqual([
      'Event ID is required',
      'Event handle is required',
      'Created by user ID is required',
      'Title is required',
      'Type is required',
      'Start date is required',
      'End date is required',
      'Start date must be before end date',
      'Location is required for scheduled or active events',
    ]);
    expect(VALIDATION_MESSAGES.noUserForEmail('a@b.c')).toBe('No user found for given Email ID a@b.c');
  });

  it('1§8 parameters replace the placeholders', () => {
    expect(FOUNDATION_MESSAGES.eventNotFound('e1')).toBe('Event with ID e1 not found');
    expect(FOUNDATION_MESSAGES.participantExists('p1')).toBe('Participant with ID p1 already exists in event');
    expect(FOUNDATION_MESSAGES.participantNotFound('p1')).toBe('Participant with ID p1 not found in event');
    expect(FOUNDATION_MESSAGES.userNotFound('u1')).toBe('User with ID u1 not found');
    expect(
      FOUNDATION_MESSAGES.eventScheduleFailed([
        VALIDATION_MESSAGES.eventTitleRequired,
        VALIDATION_MESSAGES.eventTypeRequired,
      ]),
    ).toBe('Failed to schedule event: Title is required, Type is required');
  });

  it('1§8 the rest of the catalogue has the prescribed texts', () => {
    expect(FOUNDATION_MESSAGES).toMatchObject({
      authNotInitialised: 'Authentication service could not be initialized. Please refresh the page and try again.',
      appNotInitialised: 'Firebase app is not initialized. Please ensure Firebase is properly configured.',
      notSignedIn: 'No user is currently signed in',
      eventActivateFailed: 'Failed to activate event: Event is not in scheduled status or start date is in the future',
      eventCompleteFailed: 'Failed to complete event: Event is not in active status or end date is in the future',
      eventCancelFailed: 'Failed to cancel event: Event is already completed or cancelled',
      deleteAnalysisFailed: 'Error deleting image analysis',
      markBadImageFailed: 'Error marking bad image',
    });
    expect(RETRYABLE_FUNCTION_CODES).toEqual([
      'deadline-exceeded',
      'unavailable',
      'resource-exhausted',
      'internal',
      'network-request-failed',
    ]);
  });

  it('1§8 socket errors have texts: disconnected, timeout, receipt mismatch', () => {
    for (const code of ['disconnected', 'timeout', 'receipt-mismatch'] as const)
      expect(ERRORS[code].message).not.toBe('');
    expect(ERRORS['unlinked-survey'].message).toBe(VALIDATION_MESSAGES.surveyNotLinked);
    expect(ERRORS['image-exists'].message).toBe(VALIDATION_MESSAGES.imageExists);
  });

  it('2§8 an unknown sign-in error shows its own text, else the general sentence', () => {
    expect(authMessage('auth/invalid-email')).toBe('Please enter a valid email address.');
    expect(authMessage('auth/later', 'Own words.')).toBe('Own words.');
    expect(authMessage('toString')).toBe(ANALYSIS_MESSAGES.authFailed);
    expect(Object.keys(AUTH_MESSAGES)).toHaveLength(14);
  });
});
