import { useState } from 'preact/hooks';
import { get, send } from '../../api/client.js';
import { forgetNames, type NamedKind, nameOf, type RecordName } from '../../api/names.js';
import type { AnswerOf, BodyOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Confirm } from '../../parts/confirm.js';
import { Combobox } from '../../parts/fields/combobox.js';
import { Choice, Form } from '../../parts/fields/field.js';
import { messageOf, namesOf, useCombobox } from '../../parts/fields/use-combobox.js';
import { List } from '../../parts/loading.js';
import { Name } from '../../parts/name.js';
import type { Acting } from '../../parts/outcome.js';
import { State, toneOf } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { kindText } from '../../records/kind-text.js';

type Body = BodyOf<'/ops/erasures'>;

/** Which services have records of a kind that can be erased (operations contract 4). */
const SERVICES: Readonly<Record<Body['kind'], readonly Body['service'][]>> = {
  user: ['messaging', 'status'],
  registration: ['messaging'],
  subscription: ['messaging'],
  client: ['accounting'],
  oidc_tenant: ['accounting'],
  tenant: ['status'],
  recomputation: ['status'],
};

/** Service and kind, as values of a choice. */
const KINDS = Object.entries(SERVICES).flatMap(([kind, services]) =>
  services.map((service) => [`${service}.${kind}` as NamedKind, `${kindText(kind)} of ${service}`] as const),
);

/** In place of the reason of an operator the event after which a key has nothing left to open. */
const OWN_REASON = /^([A-Z][a-z]+)+(Deleted|Removed)$/;

const titleOf = ({ kind, name, place }: RecordName): string => {
  const [service = '', what = ''] = kind.split('.');
  const where = `of ${place ?? service}`;
  return name?.endsWith(where) ? name : `${name}, ${kindText(what)} ${where}`;
};

/** Destroys the keys of what is secret or personal. */
export const Erasures = ({ acting }: Readonly<{ acting: Acting }>) => {
  const [kind, setKind] = useState<NamedKind>('messaging.user');
  const [asked, setAsked] = useState<RecordName | null>(null);
  const erasures = useData((signal) => get<AnswerOf<'/ops/erasures'>>('/ops/erasures', {}, { signal }), [], 5_000);
  const [, what = ''] = kind.split('.');
  const record = useCombobox({ noun: kindText(what), suggest: namesOf(kind), value: '' });
  const ask = async () => {
    const id = await record.resolve();
    if (!id) return;
    let found: RecordName;
    try {
      found = await nameOf({ kind, id });
    } catch (failure) {
      record.refuse(messageOf(failure));
      return;
    }
    if (found.state === 'present') setAsked(found);
    else
      record.refuse(
        found.name === null ? `No ${kindText(what)} has this name.` : 'Nothing is left of it: it was deleted or erased before.',
      );
  };
  return (
    <section>
      <h2>Erasures</h2>
      <Form submit="Erase" look="danger" onSubmit={ask}>
        <Choice
          label="Kind"
          value={kind}
          onValue={(value) => {
            setKind(value as NamedKind);
            record.clear();
          }}
          options={KINDS}
        />
        <Combobox label="Person or record" field={record} required />
      </Form>
      {asked && (
        <Confirm
          title={`Erase ${titleOf(asked)}?`}
          action="Erase for good"
          reason
          act={async (reason) => {
            const [service, of] = asked.kind.split('.');
            await send('POST', '/ops/erasures', { service, kind: of, id: asked.id, reason });
            acting.say(`Erased ${titleOf(asked)}.`);
            forgetNames();
            record.clear();
            erasures.again();
          }}
          onClose={() => setAsked(null)}
        >
          <p>
            The key that seals its personal data and secrets is destroyed. Nobody can read them any more, and its credentials are refused.
          </p>
        </Confirm>
      )}
      <List
        of={erasures}
        rows={({ items }) => items}
        caption="Erasures"
        keyOf={({ id: erasure }) => erasure}
        empty="Nothing was erased."
        columns={[
          {
            name: 'Subject',
            show: ({ service: of, kind: what, subject }) => <Name kind={`${of}.${what}` as NamedKind} id={subject} />,
          },
          { name: 'Kind', show: ({ service: of, kind: what }) => `${kindText(what)} of ${of}` },
          { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state}</State> },
          { name: 'Reason', show: ({ reason }) => (OWN_REASON.test(reason) ? 'the record was deleted' : reason) },
          { name: 'Ended', show: ({ endedAt }) => <Time at={endedAt} relative /> },
        ]}
      />
    </section>
  );
};
