import { recordOwner } from '../../../domain/policy/topic-policy';
import type { EdgeGps, EdgeMeta, EdgeSender, EdgeSurvey, EdgeTrackFix } from '../../../protocol/edge-socket';
import type { EdgeCache } from '../../cache/edge-cache';
import { measureEdgeClock, type EdgeClock } from '../../sync/pairing/edge-clock';
import { OTHERS_SURVEY_NAME } from '../custody/custody-repository';
import type { LiveQuery, Observable } from '../live';
import type { RepositoryContext } from '../repository-context';
import { EdgeAnswers, type EdgeAnswerTimes } from './edge-answers';

/** Data of the box. */
export interface EdgeAnswersRepository {
  /**
   * Live answers of the box while subscribed; `stale` with the last ones while it is away. At most one item for meta
   * and gps.
   */
  readonly meta: LiveQuery<EdgeMeta>;
  readonly gps: LiveQuery<EdgeGps>;
  readonly surveys: LiveQuery<EdgeSurvey>;
  /** Devices that send to the box, and what each still owes. */
  readonly senders: LiveQuery<EdgeSender>;
  /** Track of the vessel over the last day. */
  readonly recentTrack: LiveQuery<EdgeTrackFix>;
  readonly answerTimes: Observable<EdgeAnswerTimes>;
  /** Offset of the box's clock to this tablet's, measured now; null if no box answers. */
  readonly measureClock: () => Promise<EdgeClock | null>;
}

export function createEdgeAnswersRepository(parts: RepositoryContext, cache: EdgeCache): EdgeAnswersRepository {
  const { store, connectivity, access } = parts;
  const answers = new EdgeAnswers(parts, cache);
  return {
    meta: answers.follow('meta', (data) => [data]),
    gps: answers.follow('gps', (data) => (data === null ? [] : [data])),
    surveys: answers.follow('surveys', (data) =>
      data.map((survey) =>
        access.canSeeRemoteSurvey(survey.id, recordOwner({ user: survey.user }))
          ? survey
          : { ...survey, name: OTHERS_SURVEY_NAME, date: '', loc: null, user: null },
      ),
    ),
    senders: answers.follow('senders', (data) =>
      data.map((sender) =>
        sender.survey === null || access.canSeeRemoteSurvey(sender.survey.id, null)
          ? sender
          : { ...sender, survey: { ...sender.survey, name: OTHERS_SURVEY_NAME } },
      ),
    ),
    recentTrack: answers.follow('track', (data) => data.fixes),
    answerTimes: answers.times,
    measureClock: async () => {
      const edge = connectivity.answeringEdge.get()?.edge;
      return edge === undefined ? null : measureEdgeClock(store.host, edge);
    },
  };
}
