import { useState } from 'preact/hooks';
import { mayAudit, mayOperate, type Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Confirm } from '../../parts/confirm.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Facts } from '../../parts/facts.js';
import { Choice } from '../../parts/field.js';
import { bytes, count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Outcome, useActing } from '../../parts/outcome.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { type Letter, type Letters, type LettersOf, loadData, loadLetters, redrive } from './load.js';
import { subscriptionPlace, topicPlace } from './places.js';
import { atLeast, dataForms, redrivenText } from './texts.js';

const PAGE = 100;
const LIVE_MS = 5_000;

/** Data and attributes of a message, once somebody asks for them. */
const Data = ({ project, topic, letter, mayRead }: Readonly<{ project: string; topic: string; letter: Letter; mayRead: boolean }>) => {
  const [shown, setShown] = useState<Readonly<{ data: string; attributes: Readonly<Record<string, string>> }>>();
  const [error, setError] = useState<unknown>();
  const [form, setForm] = useState('');
  const toggle = () => {
    setError(undefined);
    if (shown) setShown(undefined);
    else loadData(project, topic, letter.id).then(setShown, setError);
  };
  const forms = shown ? dataForms(shown.data) : [];
  const [name = '', text = ''] = forms.find(([one]) => one === form) ?? forms[0] ?? [];
  return (
    <>
      {bytes(letter.bytes)}{' '}
      {mayRead && (
        <button type="button" class="small" aria-expanded={shown !== undefined} onClick={toggle}>
          Show data
        </button>
      )}
      {error !== undefined && <ErrorNote error={error} />}
      {shown && (
        <div class="shown-data">
          <Choice label="Form" value={name} onValue={setForm} options={forms.map(([one]) => [one, one] as const)} />
          <pre>{text}</pre>
          <Facts of={Object.entries(shown.attributes)} />
        </div>
      )}
    </>
  );
};

const Attributes = ({ attributes, otherAttributes }: Letter) => (
  <ul class="plain">
    {Object.entries(attributes).map(([name, value]) => (
      <li key={name}>
        <code>{name}</code> {value}
      </li>
    ))}
    {otherAttributes.map((name) => (
      <li key={name}>
        <code>{name}</code>
      </li>
    ))}
  </ul>
);

type Selection = Readonly<{ has: (id: string) => boolean; toggle: (id: string) => void }>;

type ListProps = Readonly<{ of: LettersOf; topic: string; items: readonly Letter[]; session: Session; selection: Selection | undefined }>;

const List = ({ of: { project }, topic, items, session, selection }: ListProps) => {
  const columns: readonly Column<Letter>[] = [
    {
      name: 'Message',
      show: ({ id }) =>
        selection ? (
          <>
            <input type="checkbox" aria-label={`Select ${id}`} checked={selection.has(id)} onChange={() => selection.toggle(id)} /> {id}
          </>
        ) : (
          id
        ),
    },
    { name: 'From', show: ({ from }) => (from === null ? 'not known' : <a href={subscriptionPlace(project, from)}>{from}</a>) },
    { name: 'Attributes', show: (letter) => <Attributes {...letter} /> },
    { name: 'Reason', show: ({ reason }) => reason },
    { name: 'Attempts', end: true, show: ({ attempts }) => (attempts === null ? '–' : count(attempts)) },
    { name: 'When', show: ({ at }) => <Time at={at} relative /> },
    { name: 'Data', show: (letter) => <Data project={project} topic={topic} letter={letter} mayRead={mayAudit(session)} /> },
  ];
  return <Table caption="Dead letters" heading columns={columns} rows={items} keyOf={({ id }) => id} empty="There are no dead letters." />;
};

const NONE: ReadonlySet<string> = new Set();

/** Dead letters, for operators with what sends them back. */
export const DeadLetters = ({ of, session }: Readonly<{ of: LettersOf; session: Session }>) => {
  const [wanted, setWanted] = useState(PAGE);
  const [selected, setSelected] = useState(NONE);
  const [asking, setAsking] = useState(false);
  const acting = useActing();
  const letters = useData((signal) => loadLetters(of, wanted, signal), [of.project, of.kind, of.name, wanted], LIVE_MS);
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const send = (messages?: readonly string[]) =>
    acting.act(async () => {
      const outcome = await redrive(of, messages);
      setSelected(NONE);
      letters.again();
      return redrivenText(outcome);
    });
  const actions = ({ items, total }: Letters) => {
    const chosen = items.flatMap(({ id }) => (selected.has(id) ? id : []));
    return (
      <div class="buttons">
        <button type="button" disabled={chosen.length === 0 || acting.busy} onClick={() => send(chosen)}>
          Redrive selected
        </button>
        <button type="button" disabled={items.length === 0 || acting.busy} onClick={() => setAsking(true)}>
          Redrive all
        </button>
        {asking && (
          <Confirm
            title="Redrive all dead letters?"
            action={`Redrive ${messagesText(total)}`}
            act={async () => {
              setAsking(false);
              await send();
            }}
            onClose={() => setAsking(false)}
          >
            <p>{messagesText(total)} will be published again to where they came from, the oldest first.</p>
          </Confirm>
        )}
      </div>
    );
  };
  return (
    <>
      {mayOperate(session) && <Outcome said={acting.said} error={acting.error} />}
      <Loading of={letters}>
        {(found) => {
          const { topic, exists, items, next } = found;
          if (topic === null) return <p class="empty">This subscription has no dead letter topic.</p>;
          if (!exists) return <p class="empty">The dead letter topic {topic} does not exist: such messages stay in the subscription.</p>;
          return (
            <>
              {of.kind === 'subscriptions' && (
                <p>
                  Dead letter topic: <a href={topicPlace(of.project, topic)}>{topic}</a>
                </p>
              )}
              {mayOperate(session) && actions(found)}
              <List
                of={of}
                topic={topic}
                items={items}
                session={session}
                selection={mayOperate(session) ? { has: (id) => selected.has(id), toggle } : undefined}
              />
              {next !== null && (
                <button type="button" onClick={() => setWanted(items.length + PAGE)}>
                  More
                </button>
              )}
            </>
          );
        }}
      </Loading>
    </>
  );
};

const messagesText = (total: Letters['total']): string => `${atLeast(total)} message${total.count === 1 ? '' : 's'}`;
