import { useState } from 'preact/hooks';
import { get, send } from '../../api/client.js';
import type { NamedKind } from '../../api/names.js';
import type { AnswerOf, BodyOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Confirm } from '../../parts/confirm.js';
import { Choice, Field } from '../../parts/field.js';
import { Loading } from '../../parts/loading.js';
import { Name } from '../../parts/name.js';
import type { Acting } from '../../parts/outcome.js';
import { State, toneOf } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

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

const RECORDS = Object.entries(SERVICES).flatMap(([kind, services]) => services.map((service) => `${service} ${kind}`));

/** Destroys the keys of what is secret or personal. */
export const Erasures = ({ acting }: Readonly<{ acting: Acting }>) => {
  const [record, setRecord] = useState(RECORDS[0] ?? '');
  const [id, setId] = useState('');
  const [asked, setAsked] = useState(false);
  const erasures = useData((signal) => get<AnswerOf<'/ops/erasures'>>('/ops/erasures', {}, { signal }), [], 5_000);
  const [service = '', kind = ''] = record.split(' ');
  const ask = (event: Event) => {
    event.preventDefault();
    setAsked(true);
  };
  return (
    <section>
      <h2>Erasures</h2>
      <form class="fields" onSubmit={ask}>
        <Choice label="Record" value={record} onValue={setRecord} options={RECORDS} />
        <Field label="Id of the record" value={id} onValue={setId} required maxLength={200} />
        <div class="buttons at-field">
          <button type="submit" class="danger">
            Erase
          </button>
        </div>
      </form>
      {asked && (
        <Confirm
          title="Erase what is secret or personal?"
          action="Erase for good"
          reason
          act={async (reason) => {
            await send('POST', '/ops/erasures', { service, kind, id, reason });
            acting.say(`Erased what was secret or personal of the ${kind} ${id} of ${service}.`);
            setId('');
            erasures.again();
          }}
          onClose={() => setAsked(false)}
        >
          <p>
            The key of the {kind} {id} of {service} is destroyed. Nobody can read its personal data and secrets any more, and its
            credentials are refused.
          </p>
        </Confirm>
      )}
      <Loading of={erasures}>
        {({ items }) => (
          <Table
            caption="Erasures"
            rows={items}
            keyOf={({ id: erasure }) => erasure}
            empty="Nothing was erased."
            columns={[
              {
                name: 'Subject',
                show: ({ service: of, kind: what, subject }) => <Name kind={`${of}.${what}` as NamedKind} id={subject} />,
              },
              { name: 'Record', show: ({ service: of, kind: what }) => `${of} ${what}` },
              { name: 'State', show: ({ state }) => <State tone={toneOf(state)}>{state}</State> },
              { name: 'Reason', show: ({ reason }) => reason },
              { name: 'Ended', show: ({ endedAt }) => <Time at={endedAt} relative /> },
            ]}
          />
        )}
      </Loading>
    </section>
  );
};
