import { readLocalSetting, writeLocalSetting } from '../../platform/local-settings';

const DECLINED = 'profile-declined';
const ASKED = 'profile-asked';

/** Facts that decide if the profile form opens unasked. */
interface PromptFacts {
  readonly path: string;
  /** It opened before in this session. */
  readonly wasAsked: boolean;
  /** The person closed it without a name. */
  readonly hasDeclined: boolean;
}

/**
 * True if the profile form may open unasked for a person without a name (3§4): once a session, never over training or the
 * accounts, and not after "Continue without a name". The dashboard opens it each time (3§2).
 */
export function mayPrompt({ path, wasAsked, hasDeclined }: PromptFacts): boolean {
  if (path === '/dashboard') return true;
  if (path === '/admin' || path === '/analysis/training') return false;
  return !wasAsked && !hasDeclined;
}

/** Facts of this session and tablet. */
export function promptFacts(path: string, uid: string): PromptFacts {
  return { path, wasAsked: readSession() === uid, hasDeclined: readLocalSetting(DECLINED) === uid };
}

export function noteAsked(uid: string): void {
  try {
    sessionStorage.setItem(ASKED, uid);
  } catch (_refused) {
    // A browser that refuses storage asks again.
  }
}

export function noteDeclined(uid: string): void {
  writeLocalSetting(DECLINED, uid);
}

function readSession(): string | null {
  try {
    return sessionStorage.getItem(ASKED);
  } catch (_refused) {
    return null;
  }
}
