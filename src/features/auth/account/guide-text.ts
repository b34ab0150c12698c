/** Part that a person has in the census. */
export type GuideRole = 'deck' | 'volunteer' | 'staff';

/** Picture of a step, drawn by `GuidePicture`. */
export type GuideStepPicture =
  | 'code'
  | 'survey'
  | 'photographs'
  | 'lights'
  | 'card'
  | 'training'
  | 'paint'
  | 'save'
  | 'again'
  | 'class'
  | 'people'
  | 'link'
  | 'log'
  | 'boxes'
  | 'held';

interface GuideStep {
  readonly picture: GuideStepPicture;
  readonly text: string;
}

export const GUIDES: Readonly<Record<GuideRole, readonly GuideStep[]>> = {
  deck: [
    { picture: 'code', text: 'Scan the code on the box once: the tablet and the box know each other from then on.' },
    { picture: 'survey', text: 'Start a survey for each dive, and pick its reef from the list.' },
    { picture: 'photographs', text: 'Add the photographs of the card; it stays in the reader until all are read.' },
    { picture: 'lights', text: 'Watch the three lights: saved on this tablet, on the box, and ashore.' },
    { picture: 'card', text: 'Wipe the card only when the page says that it is safe.' },
  ],
  volunteer: [
    {
      picture: 'training',
      text: 'Start with the training: made pictures, whose cover is known, show you how it is done.',
    },
    { picture: 'class', text: 'Choose what you see, such as sand or branching coral.' },
    { picture: 'paint', text: 'Paint over it with finger, pen or mouse, and move with two fingers.' },
    { picture: 'save', text: 'Save once nearly all is painted; it also works without a connection.' },
    { picture: 'again', text: 'Open your analyses at any time to change one, or go on with the next photograph.' },
  ],
  staff: [
    { picture: 'people', text: 'Find a person by their email address under Accounts, and give or take a role.' },
    { picture: 'link', text: 'Link people to an event or organisation, so that their work counts there.' },
    { picture: 'log', text: 'Look up in the log who changed what, and when.' },
    { picture: 'boxes', text: 'See each box of the fleet on the console ashore, with what it still has to send.' },
    { picture: 'held', text: 'Decide there about records on hold; nothing is lost until you do.' },
  ],
};
