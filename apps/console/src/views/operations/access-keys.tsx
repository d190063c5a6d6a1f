import { useEffect, useRef, useState } from 'preact/hooks';
import { get, pathOf, send } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import type { AnswerOf, BodyOf, ItemOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { Copyable, CopyId } from '../../parts/copyable.js';
import { Dialog } from '../../parts/dialog.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Choice, Field, Form } from '../../parts/fields/field.js';
import { List } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Time } from '../../parts/time.js';

type Body = BodyOf<'/ops/keys'>;
type Key = ItemOf<'/ops/keys'>;
type NewKey = PostAnswerOf<'/ops/keys'>;

/** The service of each role (operations contract 1), and what its keys may do. */
const ROLES: Readonly<Record<Body['role'], readonly [service: Body['service'], meaning: string]>> = {
  operator: ['ops', 'looks after the installation: projections, backups, keys, erasures'],
  auditor: ['ops', 'reads everything, also the past and personal data, which is recorded'],
  service_admin: ['messaging', 'manages all projects and users of messaging'],
  system_admin: ['accounting', 'manages all projects, providers and entitlements of accounting'],
  super_admin: ['status', 'manages all tenants and their users'],
  super_admin_restricted: ['status', 'reads all tenants, without users and their keys'],
  super_admin_ui: ['status', 'reads tenants that have a user with the role admin_ui, and these users'],
  super_admin_viewer: ['status', 'lists all tenants'],
  component_engine: ['status', 'the computation engine of a monitoring installation'],
  component_monbox: ['status', 'a monitoring box of a monitoring installation'],
  component_poem: ['status', 'the profile management (POEM) of a monitoring installation'],
};

const OPTIONS = Object.entries(ROLES).map(([role, [service]]) => [`${service} ${role}`, `${role} (${service})`] as const);

/** When each key last caused an event, by its id: most reads cause none. */
const loadLastEvents = async (keys: readonly Key[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>();
  for (let after: string | null | undefined; after !== null; ) {
    const page: AnswerOf<'/audit/actors'> = await get('/audit/actors', { kind: 'key', limit: 1_000, after }, { signal });
    for (const { actor, lastSeen } of page.items) found.set(actor.id, lastSeen);
    after = page.next;
  }
  // In accounting keys are users.
  for (const { id } of keys.filter(({ service }) => service === 'accounting')) {
    const { items } = await get<AnswerOf<'/audit/events'>>('/audit/events', { actor: id, order: 'desc', limit: 1 }, { signal });
    for (const event of items) if ('time' in event) found.set(id, event.time);
  }
  return found;
};

/** Keys of administrators, operators and auditors. To look at them is on record, so they are not asked for again by themselves. */
export const AccessKeys = ({ acting, session }: Readonly<{ acting: Acting; session: Session }>) => {
  const [made, setMade] = useState<NewKey | null>(null);
  const [revoked, setRevoked] = useState<Key | null>(null);
  const keys = useData((signal) => get<AnswerOf<'/ops/keys'>>('/ops/keys', {}, { signal }), []);
  const lastEvents = useData(async (signal) => keys.data && loadLastEvents(keys.data.items, signal), [keys.data]);
  const create = (body: Readonly<{ service: string; role: string; name: string }>) =>
    acting.act(async () => {
      setMade(await send<NewKey>('POST', '/ops/keys', body).finally(keys.again));
      return `Created the key “${body.name}”.`;
    });
  return (
    <section>
      <h2>Access keys</h2>
      <NewKeyForm busy={acting.busy} create={create} />
      {lastEvents.error !== undefined && <ErrorNote error={lastEvents.error} again={lastEvents.again} />}
      <List
        of={keys}
        rows={({ items }) => items}
        caption="Keys in force"
        keyOf={({ id }) => id}
        columns={[
          { name: 'Name', show: ({ name }) => name },
          { name: 'Role', show: ({ role, service }) => `${role.replaceAll(' ', ', ')} (${service})` },
          { name: 'Id', show: ({ id }) => <CopyId id={id} /> },
          { name: 'Since', show: ({ issuedAt }) => <Time at={issuedAt} relative /> },
          { name: 'Last event', show: ({ id }) => (lastEvents.data ? <Time at={lastEvents.data.get(id)} relative /> : '…') },
          {
            name: 'Actions',
            show: (key) => <Button text="Revoke" class="small danger" aria-label={`Revoke ${key.name}`} onClick={() => setRevoked(key)} />,
          },
        ]}
        note={() => <p class="quiet">Last event: what the key has last changed or has read on record. Other reads do not count.</p>}
      />
      {made && <ShownOnce made={made} onClose={() => setMade(null)} />}
      {revoked && (
        <Confirm
          title={`Revoke the key “${revoked.name}”?`}
          action="Revoke"
          act={async () => {
            await send('DELETE', pathOf('/ops/keys', revoked.id));
            acting.say(`Revoked the key “${revoked.name}”.`);
            keys.again();
          }}
          onClose={() => setRevoked(null)}
        >
          {revoked.id === session.key && <p>You are signed in with this key.</p>}
          <p>Anyone using it is refused from now on and signed out of the console. A revoked key cannot be restored.</p>
        </Confirm>
      )}
    </section>
  );
};

type FormProps = Readonly<{ busy: boolean; create: (body: { service: string; role: string; name: string }) => Promise<boolean> }>;

const NewKeyForm = ({ busy, create }: FormProps) => {
  const [name, setName] = useState('');
  const [place, setPlace] = useState(OPTIONS[0]?.[0] ?? '');
  const [service = '', role = ''] = place.split(' ');
  const submit = async () => {
    if (await create({ service, role, name })) setName('');
  };
  return (
    <Form
      submit="Create key"
      disabled={busy}
      onSubmit={submit}
      note={
        <p class="quiet">
          {role}: {ROLES[role as Body['role']][1]}.
        </p>
      }
    >
      <Field label="Name" value={name} onValue={setName} required maxLength={200} hint="What the key is for" />
      <Choice label="Role" value={place} onValue={setPlace} options={OPTIONS} />
    </Form>
  );
};

/** The back button asks, too: until it may close, the page has an entry of the history more. */
const useBackButton = (ask: () => void): (() => void) => {
  const armed = useRef(false);
  useEffect(() => {
    const arm = () => {
      history.pushState(null, '');
      armed.current = true;
    };
    const wentBack = () => {
      if (!armed.current) return;
      arm();
      ask();
    };
    arm();
    addEventListener('popstate', wentBack);
    return () => removeEventListener('popstate', wentBack);
  }, []);
  return () => {
    armed.current = false;
    history.back();
  };
};

const ShownOnce = ({ made, onClose }: Readonly<{ made: NewKey; onClose: () => void }>) => {
  const [isAsked, setAsked] = useState(false);
  const ask = () => (made.key ? setAsked(true) : kept());
  const disarm = useBackButton(ask);
  const kept = () => {
    disarm();
    onClose();
  };
  return (
    <>
      <Dialog title={`The key ${made.name}`} onClose={ask}>
        {made.key ? (
          <>
            <p>It is shown this once: keep it now.</p>
            <p>
              <Copyable text={made.key} name="key" />
            </p>
          </>
        ) : (
          <p>It was made before the connection was lost, and cannot be shown any more: revoke it, and create another one.</p>
        )}
        <div class="buttons">
          <Button text="Close" onClick={ask} />
        </div>
      </Dialog>
      {isAsked && (
        <Dialog title="Have you kept the key?" onClose={() => setAsked(false)}>
          <p>It cannot be shown again.</p>
          <div class="buttons">
            <Button text="I have kept it" class="primary" onClick={kept} />
            <Button text="Back to the key" onClick={() => setAsked(false)} />
          </div>
        </Dialog>
      )}
    </>
  );
};
