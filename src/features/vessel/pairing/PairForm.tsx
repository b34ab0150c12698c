import { useEffect, useRef, useState, type FormEvent } from 'react';
import type { PairedEdge, Repositories } from '../../../data/repositories';
import { formatPairingCode, normalisePairingCode } from '../../../domain/pairing-link';
import { Button } from '../../../ui/controls/Button';
import { Note } from '../../../ui/feedback/Note';
import { TextField } from '../../../ui/controls/TextField';
import { NoWrap } from '../../../ui/display/NoWrap';
import { parseAddress, type PairingInput } from './address';
import styles from './PairForm.module.css';
import { addressError, pairingError, type PairingError } from './pairing-error';
import { ScanDialog } from './ScanDialog';

interface Props {
  readonly edge: Repositories['edge'];
  readonly servedBy: string;
  /** Pre-filled code from the page's address. */
  readonly code?: string | undefined;
  readonly title?: string;
  readonly onPaired?: (box: PairedEdge) => void;
}

type State =
  | { readonly status: 'writing' }
  | { readonly status: 'pairing' }
  | { readonly status: 'trouble'; readonly problem: PairingError };

/** Pairing by QR, or by address and code. */
export function PairForm({ edge, servedBy, code: given = '', title = 'Pair this tablet with a box', onPaired }: Props) {
  const [address, setAddress] = useState(servedBy.replace(/^https:\/\//, ''));
  const [code, setCode] = useState(formatPairingCode(normalisePairingCode(given)));
  const [state, setState] = useState<State>({ status: 'writing' });
  const [isScanning, setIsScanning] = useState(false);
  const blocked = useBlockedOrigins();
  const problem = state.status === 'trouble' ? state.problem : null;
  const fieldError = (field: 'address' | 'code') =>
    problem?.field === field ? (isTypingError(problem) ? problem.text : problem.title) : undefined;

  async function pair(typedAddress: string, typedCode: string) {
    const read = parseAddress(typedAddress);
    if ('fault' in read) {
      setState({ status: 'trouble', problem: addressError(read.fault) });
      return;
    }
    setState({ status: 'pairing' });
    try {
      const plain = normalisePairingCode(typedCode);
      const box = await edge.link.pair(read.origin, ...(plain === '' ? [] : [plain]));
      setState({ status: 'writing' });
      onPaired?.(box);
    } catch (error) {
      await waitForPolicyReport();
      setState({
        status: 'trouble',
        problem: pairingError(error, {
          origin: read.origin,
          pageOrigin: window.location.origin,
          now: Date.now(),
          blocked: blocked.current.has(read.origin),
        }),
      });
    }
  }

  function onScanned(found: PairingInput) {
    setIsScanning(false);
    const nextAddress = found.origin?.replace(/^https:\/\//, '') ?? address;
    const nextCode = found.code ?? code;
    setAddress(nextAddress);
    setCode(formatPairingCode(nextCode));
    void pair(nextAddress, nextCode);
  }

  return (
    <form
      className={styles.card}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void pair(address, code);
      }}
      noValidate
      aria-label="Pair with a box"
    >
      <h2>{title}</h2>
      <p className={styles.quiet}>
        {given === ''
          ? 'The box shows its address and an eight-character code on its own screen. You pair once; photographs are then sent automatically.'
          : 'The link included this box’s code. Press Pair, and photographs are sent to it automatically from then on.'}
      </p>
      <TextField
        label="Address of the box"
        name="address"
        inputMode="url"
        spellCheck="false"
        value={address}
        onChange={setAddress}
        refused={fieldError('address')}
      />
      <TextField
        label="Code"
        name="code"
        code
        autoComplete="off"
        spellCheck="false"
        value={code}
        onChange={setCode}
        refused={fieldError('code')}
        help="Leave it empty if the box shows none."
      />
      {problem !== null && !isTypingError(problem) && (
        <Note
          tone="wait"
          icon={problem.kind === 'clock' ? 'clock' : 'info'}
          title={problem.field === null ? problem.title : 'What to do'}
          role="alert"
        >
          <NoWrap>{problem.text}</NoWrap>
          {problem.trustUrl !== null && (
            <a className={styles.link} href={problem.trustUrl} target="_blank" rel="noreferrer">
              Open its trust page
            </a>
          )}
        </Note>
      )}
      <div className={styles.actions}>
        <Button icon="camera" onPress={() => setIsScanning(true)}>
          Scan
        </Button>
        <Button type="submit" variant="primary" isDisabled={state.status === 'pairing'}>
          {state.status === 'pairing' ? 'Pairing' : 'Pair'}
        </Button>
      </div>
      {isScanning && <ScanDialog onFound={onScanned} onClose={() => setIsScanning(false)} />}
    </form>
  );
}

/** Typing mistake: the field's message suffices. */
function isTypingError({ kind }: PairingError): boolean {
  return kind === 'address' || kind === 'code' || kind === 'wait';
}

/** The violation event follows in a later task than the failure. */
function waitForPolicyReport(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

/** Origins blocked by the content policy. */
function useBlockedOrigins(): React.RefObject<Set<string>> {
  const origins = useRef(new Set<string>());
  useEffect(() => {
    const record = ({ blockedURI, effectiveDirective }: SecurityPolicyViolationEvent): void => {
      if (effectiveDirective === 'connect-src' && URL.canParse(blockedURI))
        origins.current.add(new URL(blockedURI).origin);
    };
    document.addEventListener('securitypolicyviolation', record);
    return () => document.removeEventListener('securitypolicyviolation', record);
  }, []);
  return origins;
}
