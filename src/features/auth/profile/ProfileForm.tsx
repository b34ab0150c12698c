import { useEffect, useState, type FormEvent } from 'react';
import type { Person, ProfileField, ProfileView, Repositories } from '../../../data/repositories';
import { ReefError } from '../../../domain/errors';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { Button } from '../../../ui/controls/Button';
import { Checkbox } from '../../../ui/controls/Checkbox';
import { Note } from '../../../ui/feedback/Note';
import { notify } from '../../../ui/feedback/notices';
import { TextField } from '../../../ui/controls/TextField';
import { LocationField } from './LocationField';
import { OrganisationField } from './OrganisationField';
import { PhotoField } from './PhotoField';
import { draftFromProfile, draftProblems, factsFromDraft, type ProfileDraft } from './profile-draft';
import { OPT_IN_TEXT } from '../sign-up/sign-up-text';
import styles from '../auth.module.css';
import { NameFields } from '../NameFields';

interface Props {
  readonly person: Person;
  readonly mine: ProfileView | undefined;
  readonly repositories: Pick<Repositories, 'account'>;
  readonly isAboard: boolean;
  readonly onSaved: () => void;
}

type SaveStatus = { readonly status: 'writing' | 'saving' } | { readonly status: 'failed'; readonly text: string };

/** Profile form: saves on this tablet first and is sent automatically. */
export function ProfileForm({
  person,
  mine,
  repositories: {
    account,
    account: { profile },
  },
  isAboard,
  onSaved,
}: Props) {
  const [draft, setDraft] = useState<ProfileDraft>(() => draftFromProfile(person, mine));
  const [fields, setFields] = useState<readonly ProfileField[]>([]);
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({});
  const [saving, setSaving] = useState<SaveStatus>({ status: 'writing' });
  useEffect(() => {
    let isMounted = true;
    profile.fields().then(
      (found) => isMounted && setFields(found),
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [profile]);
  const change = (changes: Partial<ProfileDraft>): void => setDraft((before) => ({ ...before, ...changes }));

  async function save(event: FormEvent): Promise<void> {
    event.preventDefault();
    const wrong = draftProblems(draft, fields);
    setProblems(wrong);
    if (Object.keys(wrong).length > 0)
      return setSaving(
        wrong['name'] === undefined
          ? { status: 'writing' }
          : { status: 'failed', text: ANALYSIS_MESSAGES.nameRequiredOnSave },
      );
    setSaving({ status: 'saving' });
    try {
      await profile.save(factsFromDraft(draft, fields, mine));
      notify({ title: ANALYSIS_MESSAGES.profileUpdated, icon: 'check' });
      onSaved();
    } catch (error) {
      setSaving({
        status: 'failed',
        text:
          error instanceof ReefError && error.code !== 'internal'
            ? error.message
            : mine === undefined
              ? ANALYSIS_MESSAGES.profileSaveFailed
              : ANALYSIS_MESSAGES.profileUpdateFailed,
      });
    }
  }

  return (
    <form className={styles.form} onSubmit={(event) => void save(event)} noValidate aria-label="Profile">
      <div className={styles.two}>
        <NameFields value={draft.name} onChange={(name) => change({ name })} error={problems['name']} />
      </div>
      {!isAboard && <LocationField profile={profile} value={draft.loc} onChange={(loc) => change({ loc })} />}
      <OrganisationField profile={profile} value={draft.org} onChange={(org) => change({ org })} />
      {fields.map(({ id, label, required }) => (
        <TextField
          key={id}
          label={required ? label : `${label} (optional)`}
          name={id}
          value={draft.extra[id] ?? ''}
          onChange={(value) => change({ extra: { ...draft.extra, [id]: value } })}
          error={problems[`extra.${id}`]}
        />
      ))}
      <PhotoField account={account} profile={profile} />
      <Checkbox label={OPT_IN_TEXT} isOn={draft.optin} onChange={(optin) => change({ optin })} />
      {saving.status === 'failed' && (
        <Note tone="look" icon="alert" title="Not saved yet" role="alert">
          {saving.text}
        </Note>
      )}
      <div className={styles.main}>
        <Button type="submit" variant="primary" isDisabled={saving.status === 'saving'}>
          {saving.status === 'saving' ? ANALYSIS_MESSAGES.saving : 'Save'}
        </Button>
      </div>
    </form>
  );
}
