import { useEffect, useState } from 'react';
import type { AnalysisRepository, PersonRoles } from '../../../data/repositories';

const NO_ROLES: PersonRoles = { isExpert: false, isVerified: false, isAdmin: false };

export function useRoles(analyses: Pick<AnalysisRepository, 'roles'>, uid: string | null): PersonRoles | null {
  const [read, setRead] = useState<{ readonly uid: string | null; readonly roles: PersonRoles } | null>(null);
  useEffect(() => {
    let isOver = false;
    analyses.roles().then(
      (roles) => {
        if (!isOver) setRead({ uid, roles });
      },
      (error: unknown) => {
        console.warn('The roles of the current user could not be read:', error);
        if (!isOver) setRead({ uid, roles: NO_ROLES });
      },
    );
    return () => {
      isOver = true;
    };
  }, [analyses, uid]);
  return read !== null && read.uid === uid ? read.roles : null;
}
