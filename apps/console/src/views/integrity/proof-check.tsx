import { useState } from 'preact/hooks';
import type { PublicKey } from '#domain/integrity/proof.js';
import { useData } from '../../api/use-data.js';
import { ErrorNote } from '../../parts/error-note.js';
import { counted } from '../../parts/figures.js';
import type { Acting } from '../../parts/outcome.js';
import { exactTime } from '../../parts/time.js';
import { type Checked, holds, ProvenEvent, PublicKeyField, Steps, useChecked } from './checked.js';

/** A proof of an event has some 30 hashes: what is larger is none. */
const MOST_BYTES = 64 * 1_024 * 1_024;

const read = async (file: File): Promise<unknown> => {
  if (file.size > MOST_BYTES) throw new Error('The file is too large for a proof of an event.');
  const text = await file.text();
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
            Event {proof.index} is in the log of {counted(proof.size, 'event')} as of {exactTime(String(proof.anchor.time))}, root{' '}
            <code>{proof.anchor.root}</code>.
          </p>
          <ProvenEvent proof={proof} open={2} />
        </>
      )}
    </>
  );
};

type ProofCheckProps = Readonly<{ keys: readonly PublicKey[] | undefined; say: Acting['say'] }>;

/** Checks a proof file without any request. `keys`: of this server, for those who paste none; `undefined`: not known yet. */
export const ProofCheck = ({ keys, say }: ProofCheckProps) => {
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<File>();
  const proof = useData(async () => file && read(file), [file]);
  const { checked, error = proof.error } = useChecked(proof.data, pasted, keys, say);
  const take = (given: File | undefined) => given && setFile(given);
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
        <PublicKeyField value={pasted} onValue={setPasted} />
      </div>
      {file && !keys && pasted.trim() === '' && <p class="quiet">The keys of this server are not known yet: paste one, or wait.</p>}
      {error !== undefined && <ErrorNote error={error} />}
      {checked && <Shown result={checked} />}
    </section>
  );
};
