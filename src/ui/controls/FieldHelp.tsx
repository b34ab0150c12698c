import { FieldError, Text } from 'react-aria-components';
import styles from './Field.module.css';
import { Icon } from '../display/Icon';
import { NoWrap } from '../display/NoWrap';

/** Help, or in its place the error. */
export function FieldHelp({
  help,
  error,
}: {
  readonly help?: string | undefined;
  readonly error?: string | undefined;
}) {
  return (
    <>
      {help !== undefined && error === undefined && (
        <Text slot="description" className={styles.help ?? ''}>
          <NoWrap>{help}</NoWrap>
        </Text>
      )}
      <FieldError className={`${styles.help} ${styles.bad}`}>
        <Icon name="alert" />
        <span>{error !== undefined && <NoWrap>{error}</NoWrap>}</span>
      </FieldError>
    </>
  );
}
