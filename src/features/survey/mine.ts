import type { KnownPeople, Person, SurveyView } from '../../data/repositories';

/**
 * The surveys that whoever is at the tablet sees in the list: all but those of other people who used this very tablet. Somebody is
 * told by the address: who signed in aboard and ashore has two ids. What came from people who were never here, through the box, is shared.
 *
 * @param person null: nobody is at the tablet
 * @param known who was at this tablet
 */
export function mineOf(surveys: readonly SurveyView[], person: Person | null, known: KnownPeople): readonly SurveyView[] {
  const me = person?.email.toLowerCase();
  const isOfAnother = ({ person: uid }: SurveyView): boolean => uid !== null && uid !== person?.uid && Object.hasOwn(known, uid) && (known[uid] === '' || known[uid]?.toLowerCase() !== me);
  return surveys.some(isOfAnother) ? surveys.filter((survey) => !isOfAnother(survey)) : surveys;
}
