import { CATEGORY_TYPES, MODIFIERS, type CategoryClass } from '../../../../domain/analysis/free-draw/categories';
import { Button } from '../../../../ui/controls/Button';
import { Dialog } from '../../../../ui/controls/Dialog';
import styles from './ClassHelpDialog.module.css';
import { CATEGORY_DESCRIPTIONS } from '../../../../domain/analysis/free-draw/category-descriptions';
import { ClassExamples } from './ClassExamples';
import { Swatch } from '../../stage/Swatch';

interface Props {
  readonly of: CategoryClass;
  readonly hint: string;
  readonly onClose: () => void;
}

export function ClassHelpDialog({ of: { type, mod }, hint, onClose }: Props) {
  const neighbours = CATEGORY_TYPES.filter(({ group, id }) => group === type.group && id !== type.id);
  return (
    <Dialog
      isOpen
      wide
      onClose={onClose}
      title={type.label}
      actions={
        <Button variant="primary" onPress={onClose}>
          Continue
        </Button>
      }
    >
      <div className={styles.head}>
        <Swatch of={{ type, mod }} />
        <p className={styles.hint}>{type.hint}</p>
      </div>
      <p>{CATEGORY_DESCRIPTIONS[type.id] ?? type.path.join(', ')}</p>
      <ClassExamples type={type.id} label={type.label} />
      {type.modifiers.length > 0 && (
        <dl className={styles.pairs}>
          {MODIFIERS.filter(({ id }) => type.modifiers.includes(id)).map(({ id, label, hint: words }) => (
            <div key={id} className={styles.pair}>
              <dt>{label}</dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      )}
      <h3>Next to it in the list</h3>
      <dl className={styles.pairs}>
        {neighbours.map((each) => (
          <div key={each.id} className={styles.pair}>
            <dt className={styles.name}>
              <Swatch of={{ type: each, mod: undefined }} />
              {each.label}
            </dt>
            <dd>{each.hint}</dd>
          </div>
        ))}
      </dl>
      <h3>Current tool</h3>
      <p>{hint} Two fingers move and zoom the picture with any tool; ? shows all shortcuts.</p>
    </Dialog>
  );
}
