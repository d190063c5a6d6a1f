import { useEffect, useRef, useState } from 'preact/hooks';
import type { PublicKey } from '#domain/integrity/proof.js';
import { ErrorNote } from '../../parts/error-note.js';
import type { Verdict } from '../../parts/outcome.js';
import { exactTime } from '../../parts/time.js';
import { type Checked, check, holds, ProvenEvent, PublicKeyField, Steps, verdictOf } from './checked.js';

/** A proof of an event has some 30 hashes: what is larger is none. */
const MOST_BYTES = 64 * 1_024 * 1_024;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('The file is no JSON.');
  }
};

const Shown = ({ result }: Readonly<{ result: Checked }>) => {
  const { proof, pasted } = result;
  return (
    <>
      <h3>What was checked, in this browser</h3>
      <Steps of={result} />
      <p>{pasted ? 'The key is the one that was pasted.' : 'The keys come from this server.'}</p>
      {holds(result) && (
        <>
          <p>
            Event {proof.index} is in the log of {proof.size} events as of {exactTime(String(proof.anchor.time))}, root{' '}
            <code>{proof.anchor.root}</code>.
          </p>
          <ProvenEvent proof={proof} open={2} />
        </>
      )}
    </>
  );
};

type ProofCheckProps = Readonly<{ keys: readonly PublicKey[] | undefined; say: (verdict: string | Verdict) => void }>;

/** Checks a proof file without any request. `keys`: of this server, for those who paste none; `undefined`: not known yet. */
export const ProofCheck = ({ keys, say }: ProofCheckProps) => {
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<string>();
  const [result, setResult] = useState<Checked>();
  const [error, setError] = useState<unknown>();
  const turn = useRef(0);
  const clear = () => {
    turn.current++;
    setResult(undefined);
    setError(undefined);
    say('');
  };
  const run = (text: string, key: string) => {
    clear();
    const mine = turn.current;
    if (!keys && key.trim() === '') {
      setError(new Error('The keys of this server are not known yet: paste one, or wait.'));
      return;
    }
    const checking = async () => check(parsed(text), key, keys ?? []);
    checking().then(
      (found) => {
        if (mine !== turn.current) return;
        setResult(found);
        say(verdictOf(found));
      },
      (failure) => mine === turn.current && setError(failure),
    );
  };
  useEffect(() => {
    if (keys && file !== undefined && pasted.trim() === '') run(file, '');
  }, [keys]);
  const take = (given: File | undefined) => {
    if (!given) return;
    clear();
    if (given.size > MOST_BYTES) {
      setError(new Error('The file is too large for a proof of an event.'));
      return;
    }
    given.text().then((text) => {
      setFile(text);
      run(text, pasted);
    }, setError);
  };
  const dropped = (event: DragEvent) => {
    event.preventDefault();
    take(event.dataTransfer?.files[0]);
  };
  return (
    <section aria-label="Check a proof" class="drop" onDragOver={(event) => event.preventDefault()} onDrop={dropped}>
      <div class="fields">
        <div class="field">
          <label htmlFor="proof-file">Proof file</label>
          <input
            id="proof-file"
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => {
              take(currentTarget.files?.[0]);
              currentTarget.value = '';
            }}
          />
          <small class="quiet">or drop it here; it does not leave this browser</small>
        </div>
        <PublicKeyField
          value={pasted}
          onValue={(key) => {
            setPasted(key);
            if (file !== undefined) run(file, key);
          }}
        />
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {result && <Shown result={result} />}
    </section>
  );
};
