import { describe, expect, it } from 'vitest';
import type { CloudRight } from './cloud-policy';
import { CLOUD_POLICY, CLOUD_RIGHTS, isAllowed } from './cloud-policy';
import type { RoleFacts } from './roles';
import { CLOUD_ROLES, rolesOfPerson } from './roles';

const NOBODY: RoleFacts = { anonymous: false, verified: false, isExpert: false, admin: false, staff: false };
const WHO = {
  stranger: null,
  anonymous: { ...NOBODY, anonymous: true },
  volunteer: NOBODY,
  verified: { ...NOBODY, verified: true },
  expert: { ...NOBODY, isExpert: true },
  admin: { ...NOBODY, admin: true },
  staff: { ...NOBODY, staff: true },
} as const;
const able = (what: CloudRight) =>
  Object.entries(WHO)
    .filter(([, who]) => isAllowed(rolesOfPerson(who), what))
    .map(([name]) => name);

describe('1§6: roles', () => {
  it('1§6: roles come from the server’s knowledge of a person, and none without an address', () => {
    expect([...rolesOfPerson(null)]).toEqual(['anyone']);
    expect([...rolesOfPerson({ anonymous: true, verified: true, isExpert: true, admin: true, staff: true })]).toEqual([
      'anyone',
      'anonymous',
    ]);
    expect([...rolesOfPerson({ ...NOBODY, isExpert: true, staff: true })]).toEqual([
      'anyone',
      'person',
      'expert',
      'staff',
    ]);
  });

  it('2§6: every account may analyse, and the expert and verified forms need their role', () => {
    expect(able('analyse')).toEqual(['anonymous', 'volunteer', 'verified', 'expert', 'admin', 'staff']);
    expect(able('analyse:expert')).toEqual(['expert']);
    expect(able('analyse:verified')).toEqual(['verified']);
    expect(able('analyse:extras')).toEqual(['verified', 'admin', 'staff']);
    expect(able('add:organisation')).toEqual(['admin', 'staff']);
  });

  it('3§6: admins link people and give lesser roles, and staff give all roles', () => {
    for (const right of ['give:verified', 'give:isExpert', 'give:disabled'] as const)
      expect(able(right), right).toEqual(['admin', 'staff']);
    for (const right of ['give:admin', 'give:staff', 'change:admin', 'change:staff', 'read:revocations'] as const)
      expect(able(right), right).toEqual(['staff']);
    expect(isAllowed(rolesOfPerson(WHO.admin), 'POST /api/admin/link')).toBe(true);
    expect(isAllowed(rolesOfPerson(WHO.expert), 'POST /api/admin/link')).toBe(false);
    expect(isAllowed(rolesOfPerson(WHO.staff), 'GET /api/no-such-route')).toBe(false);
    expect(isAllowed(rolesOfPerson(WHO.staff), 'toString' as CloudRight)).toBe(false);
  });

  it('1§6: every row names existing roles', () => {
    for (const [row, roles] of [...Object.entries(CLOUD_POLICY), ...Object.entries(CLOUD_RIGHTS)]) {
      expect(roles.length, row).toBeGreaterThan(0);
      for (const role of roles) expect(CLOUD_ROLES, row).toContain(role);
    }
  });
});
