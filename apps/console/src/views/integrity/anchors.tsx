import { useState } from 'preact/hooks';
import { get, getText, pathOf, send } from '../../api/client.js';
import type { AnswerOf, ItemOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { download } from '../../parts/download.js';
import { Field, Form } from '../../parts/fields/field.js';
import { count, counted } from '../../parts/figures.js';
import { List } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Time } from '../../parts/time.js';
import { keepProof, loadProof, notCovered } from './proof-of-event.js';

type Anchor = ItemOf<'/audit/anchors'>;

type WithActing = Readonly<{ acting: Acting }>;

const PAGE = 20;
/** Anchors that a call answers. */
const MOST_OF_CALL = 1_000;

/** So many of the newest anchors, in as few calls as possible. @throws ApiError */
const loadAnchors = async (wanted: number, signal: AbortSignal): Promise<AnswerOf<'/audit/anchors'>> => {
  const items: Anchor[] = [];
  let next: number | null | undefined;
  while (next !== null && items.length < wanted) {
    const query = { order: 'desc', limit: Math.min(MOST_OF_CALL, wanted - items.length), after: next };
    const page: AnswerOf<'/audit/anchors'> = await get('/audit/anchors', query, { signal });
    items.push(...page.items);
    ({ next } = page);
  }
  return { items, next: next ?? null };
};

/** Signs what the log is now. `onSigned`: there is a new anchor. */
export const SignAnchor = ({ acting, onSigned }: WithActing & Readonly<{ onSigned: () => void }>) => {
  const signed = () =>
    acting.act(async () => {
      const { size } = await send<PostAnswerOf<'/audit/anchors'>>('POST', '/audit/anchors');
      onSigned();
      return `The newest anchor covers all ${counted(size, 'event')}`;
    });
  return <Button text="Sign anchor now" disabled={acting.busy} onClick={signed} />;
};

type AnchorsProps = WithActing & Readonly<{ maySign: boolean; onSigned: () => void }>;

/** Signed statements of what the log was, newest first. */
export const Anchors = ({ acting, maySign, onSigned }: AnchorsProps) => {
  const [wanted, setWanted] = useState(PAGE);
  const anchors = useData((signal) => loadAnchors(wanted, signal), [wanted]);
  const keep = ({ size }: Anchor) =>
    acting.act(async () => {
      download(`${size}.note`, 'text/plain', await getText(pathOf('/audit/anchors', `${size}`), 'text/plain'));
      return `Downloaded the anchor of size ${count(size)}`;
    });
  const signed = () => {
    anchors.again();
    onSigned();
  };
  const keys = () =>
    acting.act(async () => {
      download('jwks.json', 'application/json', await getText('/audit/keys', 'application/json'));
      return 'Downloaded the public keys';
    });
  return (
    <>
      <h2>Anchors</h2>
      <p>Keep anchors and keys where nobody who can write the log can change them: they show later that nothing before them was altered.</p>
      <div class="buttons">
        {maySign && <SignAnchor acting={acting} onSigned={signed} />}
        <Button text="Download public keys" onClick={keys} />
      </div>
      <List
        of={anchors}
        rows={({ items }) => items}
        caption="Anchors, newest first"
        columns={[
          { name: 'Size', show: ({ size }) => count(size) },
          {
            name: 'Signed note',
            show: (anchor) => (
              <Button text="Download" class="small" aria-label={`Download anchor ${anchor.size}`} onClick={() => keep(anchor)} />
            ),
          },
          { name: 'Signed', show: ({ signedAt }) => <Time at={signedAt} /> },
          { name: 'Covers events until', show: ({ time }) => <Time at={time} /> },
          { name: 'Root', show: ({ root }) => <code>{root}</code> },
          { name: 'Key', show: ({ keyId }) => <code>{keyId}</code> },
        ]}
        keyOf={({ size }) => `${size}`}
        empty="No anchor was signed yet."
        more={({ next }) => next !== null && (() => setWanted(Math.min(5 * wanted, wanted + MOST_OF_CALL)))}
      />
    </>
  );
};

/** The proof of one event, as a file. */
export const ProofDownload = ({ acting, maySign }: WithActing & Pick<AnchorsProps, 'maySign'>) => {
  const [index, setIndex] = useState('');
  const keep = () =>
    acting.act(async () => {
      const proof = await loadProof(index.trim());
      return proof
        ? keepProof(proof)
        : `${notCovered(index.trim())}. ${maySign ? 'Sign an anchor now, under Anchors, or wait' : 'Wait'}: one is signed every hour.`;
    });
  return (
    <>
      <h2>Proof of an event</h2>
      <Form submit="Download proof" disabled={acting.busy} onSubmit={keep}>
        <Field label="Event index" value={index} onValue={setIndex} inputMode="numeric" required pattern="\s*\d+\s*" />
      </Form>
    </>
  );
};
