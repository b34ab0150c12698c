import type { PersonId } from '../../../src/domain/ids';
import type { CloudRoles } from '../../../src/domain/policy/roles';

export interface Caller {
  readonly roles: CloudRoles;
  readonly person: PersonId | null;
  /**
   * Person who may see the uploads of a handed-over device. Its former user may still have the credential, so it reads
   * nothing of theirs.
   */
  readonly uploadOwner?: PersonId;
  readonly deviceId: string | null;
  /** Box whose bridge calls; null until it names itself. */
  readonly node: string | null;
}

export const ANONYMOUS_CALLER: Caller = { roles: new Set(['anyone']), person: null, deviceId: null, node: null };

/** Reason that a revoked tablet is refused whatever is not delivering. */
export const TABLET_REVOKED_MESSAGE =
  'This tablet was revoked ashore. What it holds is safe and is still sent; it reads nothing. Sign in on it again to use it as before.';

/** True for a tablet that was revoked: it only delivers. */
export function isRevokedTablet({ roles }: Pick<Caller, 'roles'>): boolean {
  return roles.has('revoked');
}

export interface CallerHeaders {
  readonly headers: { readonly authorization?: string | undefined; readonly cookie?: string | undefined };
}

export interface Callers {
  /**
   * Returns the sender of a request; {@link ANONYMOUS_CALLER} without a known credential.
   *
   * @throws ReefError `forbidden` for a revoked box, with a message that says so
   */
  callerOf(request: CallerHeaders): Promise<Caller>;
  /**
   * Returns the caller with the box that its bridge works for.
   *
   * @throws ReefError `forbidden` if the credential is another box's
   */
  forNode(request: CallerHeaders, caller: Caller, node: string): Promise<Caller>;
  /**
   * Returns the caller as a reader of the feed: of the box that the bridge names, else of its credential's box.
   *
   * @throws ReefError `forbidden` as {@link forNode}, and if none is named and the credential serves several
   */
  forReader(request: CallerHeaders, caller: Caller, node: string | undefined): Promise<Caller>;
}
