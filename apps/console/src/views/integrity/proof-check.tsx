import { useEffect, useRef, useState } from 'preact/hooks';
import { type CheckedStep, checkProof, type InclusionProof, isProof, type PublicKey } from '#domain/integrity/proof.js';
import { ErrorNote } from '../../parts/error-note.js';
import { State } from '../../parts/state.js';
import { exactTime } from '../../parts/time.js';
import { Tree } from '../../parts/tree.js';
import { browserCrypto, pastedKeys } from './browser-crypto.js';

type Result = Readonly<{ proof: InclusionProof; steps: readonly CheckedStep[]; pasted: boolean }>;

const STEPS = [
  ['event', 'The event has the hash that the proof gives it (SHA-256 of its canonical JSON).'],
  ['path', 'The hashes lead from the event to the root of the anchor (RFC 9162).'],
  ['signature', 'The anchor is signed with the key (Ed25519).'],
  ['statement', 'Size, root, time and position of the anchor are those that were signed.'],
] as const;

/** A proof of an event has some 30 hashes: what is larger is none. */
const MOST_BYTES = 64 * 1_024 * 1_024;

const check = async (text: string, pasted: string, known: readonly PublicKey[]): Promise<Result> => {
  const crypto = browserCrypto();
  if (!crypto) throw new Error('Browsers check signatures only on pages that came by https, or from the same computer.');
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error('The file is no JSON.');
  }
  if (!isProof(given)) throw new Error('The file is no proof of an event.');
  const keys = pasted.trim() === '' ? known : await pastedKeys(pasted, crypto);
  return { proof: given, steps: await checkProof(given, keys, crypto), pasted: pasted.trim() !== '' };
};

const holds = ({ steps }: Result): boolean => steps.length === STEPS.length && steps.every(({ flaw }) => flaw === undefined);

/** Only what is part of the hash: other members of the file prove nothing. */
const provenPart = ({ event }: InclusionProof): object | undefined => {
  if (!('data' in event)) return undefined;
  const { type, stream, revision, id, metadata, data } = event;
  return { type, stream, revision, id, metadata, data };
};

const Step = ({ what, step }: Readonly<{ what: string; step: CheckedStep | undefined }>) => (
  <li>
    {step === undefined && <State tone="quiet">not checked</State>}
    {step !== undefined && (
      <State tone={step.flaw === undefined ? 'good' : 'bad'}>{step.flaw === undefined ? 'holds' : 'does not hold'}</State>
    )}{' '}
    {what} {step?.flaw && <em>{step.flaw}</em>}
  </li>
);

const Shown = ({ result }: Readonly<{ result: Result }>) => {
  const { proof, steps, pasted } = result;
  const proven = provenPart(proof);
  return (
    <>
      <h3>What was checked, in this browser</h3>
      <ol class="checked">
        {STEPS.map(([name, what]) => (
          <Step key={name} what={what} step={steps.find(({ step }) => step === name)} />
        ))}
      </ol>
      <p>
        {pasted
          ? 'The key is the one that was pasted.'
          : 'The keys come from this server. Paste your own copy of the key to check independently of this server.'}
      </p>
      {holds(result) && (
        <>
          <p>
            Event {proof.index} is in the log of {proof.size} events as of {exactTime(String(proof.anchor.time))}, root{' '}
            <code>{proof.anchor.root}</code>.
          </p>
          {proven ? (
            <div class="tree">
              <Tree value={proven} open={2} />
            </div>
          ) : (
            <p>The event itself has left the log: only its hash is proven.</p>
          )}
        </>
      )}
    </>
  );
};

type ProofCheckProps = Readonly<{ keys: readonly PublicKey[] | undefined; say: (verdict: string) => void }>;

/** Checks a proof file without any request. `keys`: of this server, for those who paste none; `undefined`: not known yet. */
export const ProofCheck = ({ keys, say }: ProofCheckProps) => {
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<string>();
  const [result, setResult] = useState<Result>();
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
    check(text, key, keys ?? []).then(
      (found) => {
        if (mine !== turn.current) return;
        setResult(found);
        say(holds(found) ? 'The proof holds' : 'The proof does not hold');
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
        <div class="field">
          <label htmlFor="public-key">Public key</label>
          <textarea
            id="public-key"
            rows={3}
            spellcheck={false}
            value={pasted}
            onInput={({ currentTarget }) => {
              setPasted(currentTarget.value);
              if (file !== undefined) run(file, currentTarget.value);
            }}
          />
          <small class="quiet">JWK (set), PEM or base64; empty: the keys that this server names</small>
        </div>
      </div>
      {error !== undefined && <ErrorNote error={error} />}
      {result && <Shown result={result} />}
    </section>
  );
};
