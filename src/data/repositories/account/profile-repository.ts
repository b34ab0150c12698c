import { ReefError } from '../../../domain/errors';
import type { GeoPoint } from '../../../domain/position/geo-point';
import type { PersonId } from '../../../domain/ids';
import type { Json, JsonObject } from '../../../domain/json';
import { isObject } from '../../../domain/json';
import { ANALYSIS_MESSAGES } from '../../../domain/messages';
import { draftEdit, draftFirst } from '../../../domain/op/draft';
import { userProblems } from '../../../domain/user/rules';
import { needsName, newProfile, readUser, statedFields } from '../../../domain/user/user';
import type { Place } from '../../../protocol/accounts';
import type { ReadDoc } from '../../db/read-model';
import type { FoundOrganisation, ProfileField } from '../../transport/cloud/cloud-accounts';
import { CloudAccounts, parseProfileFields } from '../../transport/cloud/cloud-accounts';
import { CloudHttp } from '../../transport/cloud/cloud-http';
import { ObservableValue, isJsonEqual } from '../../../base/observable';
import type { LiveQuery, Observable } from '../live';
import { createLiveQuery } from '../live-query';
import {
  draftFacts,
  hasDocument,
  knownCloudOrigin,
  saveOp,
  readDocument,
  type RepositoryContext,
} from '../repository-context';
import { keepNameAboard } from './name-aboard';
import { setCurrentPerson, type Person } from './person';
import { followPhoto, forgetPhoto } from './profile-photo';
import { uploadPhoto, type PhotoUpload } from './photo-upload';
import { KeyedMutex } from '../../../base/keyed-mutex';

/** Home of a person, picked or typed. */
export interface ProfilePlace {
  readonly id?: string;
  readonly value: string;
  readonly name: string;
  readonly country?: string;
  readonly _geoloc?: GeoPoint;
}

/** Editable facts of a profile (2§3 "User profile"). */
export interface ProfileFacts {
  readonly name: { readonly first: string; readonly last: string };
  readonly loc: ProfilePlace | null;
  readonly org: { readonly handle: string; readonly name?: string } | null;
  readonly optin: boolean;
  readonly additionalInfo: Readonly<
    Record<string, { readonly fieldId: string; readonly fieldLabel: string; readonly value: string }>
  >;
}

export interface ProfileView extends ProfileFacts {
  readonly uid: PersonId;
  readonly email: string;
}

/** Profile of the current user. Writing it is an operation like any other and needs no network. */
export interface ProfileRepository {
  /** At most one. */
  readonly mine: LiveQuery<ProfileView>;
  /** Keeps the current user's name equal to their profile's. */
  readonly follow: () => () => void;
  /**
   * Saves on this tablet; settles once durable.
   * @throws ReefError `bad-message` with the messages of 2§5; `unlinked-survey` without a current user; `storage-full`
   */
  readonly save: (facts: ProfileFacts) => Promise<void>;
  /** Extra fields defined by admins; the stored ones while the cloud does not answer. */
  readonly fields: () => Promise<readonly ProfileField[]>;
  /** Up to five; none on failure (2§7: "Failures give an empty list"). */
  readonly places: (query: string) => Promise<readonly Place[]>;
  readonly organisations: (prefix: string) => Promise<readonly FoundOrganisation[]>;
  readonly photo: Observable<Blob | null>;
  /** @throws ReefError `unauthorised` without a session in the cloud */
  readonly setPhoto: (picture: Blob) => Promise<PhotoUpload>;
  /**
   * Removes the photo in the cloud and here.
   * @throws ReefError `unauthorised` without a session; from the cloud
   */
  readonly removePhoto: () => Promise<void>;
}

export function createProfileRepository(
  parts: RepositoryContext,
  person: ObservableValue<Person | null>,
): ProfileRepository & { readonly close: () => void } {
  const { store, model } = parts;
  const mutex = new KeyedMutex<PersonId>();
  const photo = new ObservableValue<Blob | null>(null);
  let stored: { readonly uid: string; readonly picture: Blob } | undefined;
  const showPhoto = (): void =>
    photo.set(stored !== undefined && stored.uid === person.get()?.uid ? stored.picture : null);
  const stops = [
    keepNameAboard(store.host, parts.edgeLink, person),
    person.subscribe(showPhoto),
    store.watch(
      () => store.db.meta.get('photo'),
      (row) => {
        stored = row?.value as typeof stored;
        showPhoto();
      },
    ),
  ];
  const mine = createLiveQuery<ProfileView>({
    start: (tell) =>
      watchOwnProfile(
        parts,
        person,
        (document) => tell.items(document === undefined ? [] : [viewOf(document)]),
        tell.failed,
      ),
  });
  /** Client with the person's session: the search for places needs one. */
  const cloudAccounts = async (): Promise<CloudAccounts> => {
    const origin = knownCloudOrigin(parts);
    if (origin === null) throw new ReefError('disconnected');
    const [account] = await store.run(() => store.db.accounts.toArray());
    return new CloudAccounts(new CloudHttp(store.host, origin, account?.session));
  };
  /**
   * Account in the cloud, and a client for it.
   * @throws ReefError `unauthorised`
   */
  const requireAccount = async () => {
    const [account] = await store.run(() => store.db.accounts.toArray());
    const cloud = account === undefined ? undefined : await store.run(() => store.db.clouds.get(account.nodeId));
    if (account === undefined || cloud === undefined || cloud.origin === null)
      throw new ReefError('unauthorised', { message: 'Profile photos are stored ashore. Sign in ashore first.' });
    return { account, cloud, http: new CloudHttp(store.host, cloud.origin, account.session) };
  };
  const orEmpty = async <Item>(find: () => Promise<readonly Item[]>): Promise<readonly Item[]> => {
    try {
      return await find();
    } catch (error) {
      store.host.log.note('info', 'A search ashore failed; showing no results.', {
        error: error instanceof Error ? error.message : String(error),
      });
      return [];
    }
  };
  return {
    mine,
    follow: () => {
      const adopt = (document: ReadDoc | undefined): void => {
        const now = person.get();
        if (document === undefined || now === null || document.id !== now.uid) return;
        const { name, org } = viewOf(document);
        if (needsName({ name }) || isJsonEqual([name, org], [now.name, now.org])) return;
        void setCurrentPerson(store, person, { ...now, name, org });
      };
      const stopPicture = followPhoto(parts, person);
      const stop = watchOwnProfile(parts, person, adopt, (error) =>
        store.host.log.note('warn', 'The profile could not be read.', { error: String(error) }),
      );
      return () => {
        stop();
        stopPicture();
      };
    },
    save: async (facts) => {
      const now = person.get();
      if (now === null)
        throw new ReefError('unlinked-survey', {
          message: 'No one has entered a name on this tablet yet. Enter your name first.',
        });
      const changes = changesOf(facts);
      const problems = userProblems(now.uid, { ...changes, email: now.email === '' ? null : now.email });
      if (problems.length > 0)
        throw new ReefError('bad-message', { field: 'profile', message: ANALYSIS_MESSAGES.validationFailed(problems) });
      await mutex.run(now.uid, async () => {
        if (await hasDocument(parts, 'profile', now.uid)) {
          const before = await readDocument(parts, 'profile', now.uid);
          const edit = draftEdit(before, statedFields(changes, before.folded.doc), draftFacts(parts, 'profile'));
          if (edit !== undefined) await saveOp(parts, edit);
        } else {
          await saveOp(
            parts,
            draftFirst(
              'profile',
              {
                ...newProfile({
                  uid: now.uid,
                  email: now.email,
                  name: facts.name,
                  ...(now.pending ? { pending: true, hostname: parts.hostname } : {}),
                }),
                ...statedFields(changes),
              },
              draftFacts(parts, 'profile'),
            ),
          );
        }
      });
      await setCurrentPerson(store, person, { ...now, name: changes.name, org: facts.org });
    },
    fields: async () => {
      try {
        const fields = await (await cloudAccounts()).profileFields();
        await store.setMeta('profileFields', fields);
        return fields;
      } catch (error) {
        store.host.log.note('info', 'The profile fields could not be fetched; using the last known ones.', {
          error: error instanceof Error ? error.message : String(error),
        });
        return parseProfileFields(await store.getMeta('profileFields'));
      }
    },
    places: (query) => orEmpty(async () => (await cloudAccounts()).searchPlaces(query)),
    organisations: (prefix) => orEmpty(async () => (await cloudAccounts()).searchOrganisations(prefix)),
    photo,
    setPhoto: async (given) => {
      const { account, cloud, http } = await requireAccount();
      return uploadPhoto(given, {
        http,
        sha256: store.host.sha256,
        chunkBytes: cloud.chunkBytes,
        onUploaded: async (sha256) => {
          await new CloudAccounts(http).setPhoto(sha256);
          await store.setMeta('photo', { uid: account.uid, picture: given });
        },
      });
    },
    removePhoto: async () => {
      const { account, http } = await requireAccount();
      await new CloudAccounts(http).setPhoto(null);
      await forgetPhoto(store, account.uid);
    },
    close: () => stops.forEach((stop) => stop()),
  };

  function watchOwnProfile(
    of: RepositoryContext,
    who: ObservableValue<Person | null>,
    show: (document: ReadDoc | undefined) => void,
    failed: (error: unknown) => void,
  ): () => void {
    let stopDocument: (() => void) | undefined;
    let watched: PersonId | null | undefined;
    let ended = false;
    const follow = (): void => {
      const uid = who.get()?.uid ?? null;
      if (uid === watched) return;
      watched = uid;
      stopDocument?.();
      stopDocument = undefined;
      if (uid === null) return show(undefined);
      model.then(({ watch }) => {
        if (!ended && watched === uid)
          stopDocument = watch('profile', { id: uid }, ([document]) => show(document), failed);
      }, failed);
    };
    follow();
    const stopPerson = who.subscribe(follow);
    const release = of.sync.retain();
    return () => {
      ended = true;
      stopPerson();
      stopDocument?.();
      release();
    };
  }
}

/** Fields in operation form: trimmed, without undefined. */
function changesOf({
  name,
  loc,
  org,
  optin,
  additionalInfo,
}: ProfileFacts): JsonObject & { readonly name: ProfileFacts['name'] } {
  return {
    name: { first: name.first.trim(), last: name.last.trim() },
    loc: loc === null ? null : (loc as unknown as Json),
    org: org === null ? null : { handle: org.handle, ...(org.name === undefined ? {} : { name: org.name }) },
    optin,
    additionalInfo: additionalInfo as unknown as Json,
  };
}

const viewCache = new WeakMap<ReadDoc, ProfileView>();

function viewOf(document: ReadDoc): ProfileView {
  const before = viewCache.get(document);
  if (before !== undefined) return before;
  const { email, name, loc, org, optin, additionalInfo } = readUser({ ...document.doc, uid: document.id }, 'document');
  const made: ProfileView = {
    uid: document.id as PersonId,
    email: email ?? '',
    name: { first: name.first, last: name.last },
    loc: placeOf(loc),
    org:
      org === null || org === undefined
        ? null
        : { handle: org.handle, ...(typeof org.name === 'string' ? { name: org.name } : {}) },
    optin,
    additionalInfo: Object.fromEntries(
      Object.entries(additionalInfo ?? {}).map(([fieldId, given]) => {
        const { fieldLabel, value } = isObject(given)
          ? (given as { fieldLabel?: unknown; value?: unknown })
          : { fieldLabel: '', value: given };
        return [
          fieldId,
          {
            fieldId,
            fieldLabel: typeof fieldLabel === 'string' ? fieldLabel : '',
            value: ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '',
          },
        ];
      }),
    ),
  };
  viewCache.set(document, made);
  return made;
}

function placeOf(loc: ReturnType<typeof readUser>['loc']): ProfilePlace | null {
  const value = loc?.value ?? loc?.name ?? '';
  if (loc === null || loc === undefined || value === '') return null;
  return {
    ...(typeof loc.id === 'string' ? { id: loc.id } : {}),
    value,
    name: loc.name ?? value,
    ...(typeof loc.country === 'string' ? { country: loc.country } : {}),
    ...(loc._geoloc === null || loc._geoloc === undefined
      ? {}
      : { _geoloc: { latitude: loc._geoloc.latitude, longitude: loc._geoloc.longitude } }),
  };
}
