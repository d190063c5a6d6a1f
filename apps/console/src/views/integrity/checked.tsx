import { useEffect, useState } from 'preact/hooks';
import { type CheckedStep, checkProof, type InclusionProof, isProof, type PublicKey } from '#domain/integrity/proof.js';
import { serverNow } from '../../api/server-time.js';
import type { Acting, Verdict } from '../../parts/outcome.js';
import { State } from '../../parts/state.js';
import { Tree } from '../../parts/tree.js';
import { browserCrypto, pastedKeys } from './browser-crypto.js';

/** `pasted`: whether the key is the user's own, instead of one that the server names. `at`: time of the check. */
export type Checked = Readonly<{ proof: InclusionProof; steps: readonly CheckedStep[]; pasted: boolean; at: string }>;

const STEPS = [
  ['event', 'The event has the hash that the proof gives it (SHA-256 of its canonical JSON).'],
  ['path', 'The hashes lead from the event to the root of the anchor (RFC 9162).'],
  ['signature', 'The anchor is signed with the key (Ed25519).'],
  ['statement', 'Size, root, time and position of the anchor are those that were signed.'],
] as const;

/**
 * Checks a proof in the browser. `pasted`: text with a public key; empty: `known`, the keys of the server, count.
 * @throws Error that says what is wrong with the proof, the key or the browser
 */
const check = async (given: unknown, pasted: string, known: readonly PublicKey[]): Promise<Checked> => {
  const crypto = browserCrypto();
  if (!crypto) throw new Error('Browsers check signatures only on pages that came by https, or from the same computer.');
  if (!isProof(given)) throw new Error('The file is no proof of an event.');
  const isPasted = pasted.trim() !== '';
  const keys = isPasted ? await pastedKeys(pasted, crypto) : known;
  return { proof: given, steps: await checkProof(given, keys, crypto), pasted: isPasted, at: new Date(serverNow()).toISOString() };
};

export const holds = ({ steps }: Checked): boolean => steps.length === STEPS.length && steps.every(({ flaw }) => flaw === undefined);

const verdictOf = (checked: Checked): Verdict => {
  if (!holds(checked)) return { text: 'The proof does not hold', tone: 'bad' };
  if (checked.pasted) return { text: 'The proof holds', tone: 'good' };
  return {
    text: "The proof holds, by this server's own key",
    tone: 'busy',
    more: 'To check independently of this server, paste a public key that you received in another way.',
  };
};

/**
 * Checks a proof, again with each other key, and says what came of it. `given`: `undefined` while there is none. `known`: keys of the server, without which
 * one waits for a key that is pasted.
 */
export const useChecked = (given: unknown, pasted: string, known: readonly PublicKey[] | undefined, say: Acting['say']) => {
  const [result, setResult] = useState<Readonly<{ checked?: Checked; error?: unknown }>>({});
  useEffect(() => {
    if (given === undefined || (!known && pasted.trim() === '')) return;
    let isOvertaken = false;
    check(given, pasted, known ?? []).then(
      (checked) => {
        if (isOvertaken) return;
        setResult({ checked });
        say(verdictOf(checked));
      },
      (error) => isOvertaken || setResult({ error }),
    );
    return () => {
      isOvertaken = true;
      setResult({});
      say('');
    };
  }, [given, known && JSON.stringify(known), pasted]); // the same keys, loaded again, are no reason to check again
  return result;
};

/** Only what is part of the hash: other members of a proof prove nothing. */
const provenPart = ({ event }: InclusionProof): object | undefined => {
  if (!('data' in event)) return undefined;
  const { type, stream, revision, id, metadata, data } = event;
  return { type, stream, revision, id, metadata, data };
};

/** The event as far as it is proven. `open`: levels that are open from the start. */
export const ProvenEvent = ({ proof, open }: Readonly<{ proof: InclusionProof; open: number }>) => {
  const proven = provenPart(proof);
  if (!proven) return <p>The event itself has left the log: only its hash is proven.</p>;
  return (
    <div class="tree">
      <Tree value={proven} open={open} />
    </div>
  );
};

const Step = ({ what, step, tone }: Readonly<{ what: string; step: CheckedStep | undefined; tone: 'good' | 'busy' }>) => (
  <li>
    {step === undefined && <State tone="quiet">not checked</State>}
    {step !== undefined && (
      <State tone={step.flaw === undefined ? tone : 'bad'}>{step.flaw === undefined ? 'holds' : 'does not hold'}</State>
    )}{' '}
    {what} {step?.flaw && <em>{step.flaw}</em>}
  </li>
);

/** The four steps of a check, with what came of each. A signature is no better than its key. */
export const Steps = ({ of: { steps, pasted } }: Readonly<{ of: Checked }>) => (
  <ol class="checked">
    {STEPS.map(([name, what]) => (
      <Step
        key={name}
        what={what}
        step={steps.find(({ step }) => step === name)}
        tone={name === 'signature' && !pasted ? 'busy' : 'good'}
      />
    ))}
  </ol>
);

/** Where a user pastes a key of their own. */
export const PublicKeyField = ({ value, onValue }: Readonly<{ value: string; onValue: (value: string) => void }>) => (
  <div class="field">
    <label htmlFor="public-key">Public key</label>
    <textarea id="public-key" rows={3} spellcheck={false} value={value} onInput={({ currentTarget }) => onValue(currentTarget.value)} />
    <small class="quiet">JWK (set), PEM or base64; empty: the keys that this server names</small>
  </div>
);
