import { z } from 'zod';
import { isObject } from '../../../domain/json';
import { LIMITS } from '../../../domain/limits';
import type { AdminUser, AuditAction, AuditReply, GivenRole } from '../../../protocol/accounts';
import type { CloudUser } from '../../../protocol/cloud-auth';
import type { CloudHttp } from './cloud-http';
import { secondFactorSchema } from './cloud-second-factor';
import type { OwnTablet } from './cloud-tablets';
import { listTablets, revokeTablet } from './cloud-tablets';

const name = z.looseObject({ first: z.string().default(''), last: z.string().default('') });
const flag = z.boolean().default(false);
const userSchema = z.looseObject({
  uid: z.string().min(1),
  email: z.string().default(''),
  name,
  isEmailVerified: flag,
  domains: z.array(z.string()).default([]),
  staff: flag,
  admin: flag,
  isExpert: flag,
  verified: flag,
  anonymous: flag,
  disabled: flag,
  since: z.string().nullable().default(null),
  lastLoginAt: z.string().nullable().default(null),
  secondFactor: secondFactorSchema.optional(),
});
const userReply = z.looseObject({ user: userSchema });
const peopleReply = z.looseObject({ people: z.array(userSchema), next: z.string().nullable() });
const auditReply = z.looseObject({
  entries: z.array(
    z.looseObject({
      id: z.int(),
      at: z.string(),
      by: z.string().nullable(),
      action: z.string(),
      about: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  names: z.record(z.string(), name),
  next: z.int().nullable(),
});

export type AdminPerson = Omit<AdminUser, 'pending' | 'photoURL'>;
/** Page of people to fetch. `text`: beginning of an address or a name; empty for all. `after`: cursor from the previous page. */
export interface PeopleQuery {
  readonly text: string;
  readonly after?: string;
}
export interface PeoplePage {
  readonly people: readonly AdminPerson[];
  readonly next: string | null;
}
/** Event or organisation to which people are linked. */
export interface FoundHandle {
  readonly handle: string;
  readonly name: string;
  readonly kind: 'event' | 'organisation';
}
/** Roles to grant (true) and revoke (false). */
export type RoleChange = { readonly [role in GivenRole]?: boolean };
/** Page of the audit log to fetch. `before`: cursor from the previous page. */
export interface AuditQuery {
  readonly about?: string;
  readonly action?: AuditAction;
  readonly before?: number;
}
export type AuditPage = Omit<AuditReply, 'ok'>;

/**
 * Account calls of admins.
 *
 * @throws ReefError from every method: from the cloud, with the text of 1§5 if it has one; `disconnected`, `timeout`
 */
export class CloudAdmin {
  readonly #http: CloudHttp;

  constructor(http: CloudHttp) {
    this.#http = http;
  }

  /** Events of a region and organisations whose handle begins with the text. */
  async handles(prefix: string, regionIds: readonly string[]): Promise<readonly FoundHandle[]> {
    const read = async (path: string, kind: FoundHandle['kind']): Promise<readonly FoundHandle[]> => {
      const { items } = await this.#http.request(
        z.looseObject({ items: z.array(z.unknown()) }),
        'GET',
        `/api/query/${path}`,
        undefined,
        LIMITS.slowConnectionMs,
      );
      return items.flatMap((item) => {
        if (!isObject(item) || typeof item['handle'] !== 'string') return [];
        const { handle, name: called } = item;
        return [{ handle, name: typeof called === 'string' ? called : handle, kind }];
      });
    };
    const found = await Promise.all([
      read(`organisations?prefix=${encodeURIComponent(prefix)}`, 'organisation'),
      ...regionIds.map((id) => read(`events?regionId=${encodeURIComponent(id)}`, 'event')),
    ]);
    return found.flat().filter(({ handle }) => handle.toLowerCase().startsWith(prefix));
  }

  async resetSecondFactor(uid: string): Promise<void> {
    await this.#http.request(z.looseObject({}), 'POST', `/api/admin/users/${uid}/second-factor/reset`, {});
  }

  tablets(uid: string): Promise<readonly OwnTablet[]> {
    return listTablets(this.#http, uid);
  }

  revokeTablet(id: string): Promise<void> {
    return revokeTablet(this.#http, id);
  }

  /** Returns the signed-in user with their current roles. */
  async currentUser(): Promise<
    Pick<CloudUser, 'uid' | 'staff' | 'admin' | 'isExpert' | 'verified' | 'anonymous' | 'secondFactor'>
  > {
    return (await this.#http.request(userReply, 'GET', '/api/me', undefined, LIMITS.slowConnectionMs)).user;
  }

  async people({ text, after }: PeopleQuery): Promise<PeoplePage> {
    const query = new URLSearchParams({ q: text, ...(after === undefined ? {} : { after }) });
    return this.#http.request(
      peopleReply,
      'GET',
      `/api/admin/people?${query.toString()}`,
      undefined,
      LIMITS.slowConnectionMs,
    );
  }

  async linkUser(email: string, handle: string): Promise<AdminPerson> {
    return (await this.#http.request(userReply, 'POST', '/api/admin/link', { email, handle })).user;
  }

  async setRoles(uid: string, change: RoleChange): Promise<AdminPerson> {
    return (await this.#http.request(userReply, 'POST', `/api/admin/users/${encodeURIComponent(uid)}/roles`, change))
      .user;
  }

  async auditPage(wanted: AuditQuery): Promise<AuditPage> {
    const query = new URLSearchParams(
      Object.entries(wanted).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    );
    return this.#http.request(auditReply, 'GET', `/api/admin/audit?${query.toString()}`);
  }
}
