import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { encoded } from '../../api/client.js';
import { mayAudit } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Facts } from '../../parts/facts.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Outcome, useActing } from '../../parts/outcome.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { SignAnchor } from './anchors.js';
import { type Checked, ProvenEvent, PublicKeyField, Steps, useChecked } from './checked.js';
import { keepProof, loadKeys, loadProof, notCovered } from './proof-of-event.js';

/** A report on paper cannot be opened further. */
const ALL_LEVELS = 100;

const Section = ({ name, children }: Readonly<{ name: string; children: ComponentChildren }>) => {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h3 id={id}>{name}</h3>
      {children}
    </section>
  );
};

const Sections = ({ checked }: Readonly<{ checked: Checked }>) => {
  const { proof, pasted, at } = checked;
  const { anchor, event } = proof;
  return (
    <>
      <p>
        Report of <Time at={at} />
      </p>
      <Section name="Event">
        <Facts
          of={[
            ['Index', `${proof.index}`],
            ['Hash', <code key="hash">{event.hash}</code>],
          ]}
        />
        <ProvenEvent proof={proof} open={ALL_LEVELS} />
      </Section>
      <Section name="Checks">
        <Steps of={checked} />
      </Section>
      <Section name="Anchor">
        <Facts
          of={[
            ['Size', count(anchor.size)],
            ['Time', <Time key="time" at={anchor.time} />],
            ['Root', <code key="root">{anchor.root}</code>],
          ]}
        />
      </Section>
      <Section name="Key">
        <Facts
          of={[
            ['Whose', pasted ? 'yours' : "this server's own"],
            ['Id', <code key="id">{anchor.keyId}</code>],
          ]}
        />
      </Section>
    </>
  );
};

/** The proof of one event, checked in this browser, to read and to print. */
export default function ProofReport({ parameters: { index = '' }, session }: ViewProps) {
  const keys = useData(loadKeys, []);
  const acting = useActing();
  const proof = useData(async (signal) => ({ found: await loadProof(index, signal) }), [index]);
  const [pasted, setPasted] = useState('');
  const found = proof.data?.found;
  const { checked, error } = useChecked(found, pasted, keys.data, acting.say);
  return (
    <div class="report">
      <h2>Proof of event {index}</h2>
      <Outcome said={acting.said} error={error ?? acting.error} />
      {keys.error !== undefined && <ErrorNote error={keys.error} again={keys.again} />}
      <Loading of={proof}>
        {(loaded) =>
          loaded.found ? (
            <>
              {checked && <Sections checked={checked} />}
              <div class="unprinted">
                <PublicKeyField value={pasted} onValue={setPasted} />
              </div>
            </>
          ) : (
            <p class="unprinted">
              {notCovered(index)}. An anchor is signed every hour with events
              {mayAudit(session) ? ', or now.' : ', and by auditors at any time.'}
            </p>
          )
        }
      </Loading>
      <div class="buttons">
        {found && (
          <>
            <Button text="Print" class="primary" disabled={!checked} onClick={() => print()} />
            <Button text="Download proof" onClick={() => acting.act(async () => keepProof(found))} />
          </>
        )}
        {proof.data && !found && mayAudit(session) && <SignAnchor acting={acting} onSigned={proof.again} />}
        <a class="button" href={placeOf(`/events/${encoded(index)}`)}>
          Event
        </a>
      </div>
    </div>
  );
}
