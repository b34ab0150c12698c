import type { PhotographView, Repositories, SurveyView } from '../../data/repositories';
import { dayWords } from '../../domain/survey/day';

interface Props {
  readonly repositories: Pick<Repositories, 'surveys' | 'conflicts' | 'edge' | 'people'>;
  readonly survey: SurveyView;
  /** Its photographs: their cameras and times are offered as answers. */
  readonly images: readonly PhotographView[];
}

/** The log of a survey: what was surveyed, when and how. Beside the roll on a tablet, one line with a dialog on a phone. */
export function SurveyLog({ survey, images }: Props) {
  return (
    <form aria-label="Survey" onSubmit={(event) => event.preventDefault()}>
      {survey.place}, {dayWords(survey.date)}, {images.length}
    </form>
  );
}
