import { useRef, useState } from 'preact/hooks';
import { mayAudit, mayOperate, type Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { ErrorNote } from '../../parts/error-note.js';
import { Facts } from '../../parts/facts.js';
import { Choice } from '../../parts/fields/field.js';
import { bytes, count } from '../../parts/figures.js';
import { IdLink } from '../../parts/id-link.js';
import { Loading } from '../../parts/loading.js';
import { Outcome, useActing } from '../../parts/outcome.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { meantBy } from '../../records/ids.js';
import { type Letter, type Letters, type LettersOf, loadData, loadLetters, redrive } from './load.js';
import { subscriptionPlace, topicPlace } from './places.js';
import { atLeast, dataForms, redrivenText, sentBackTo } from './texts.js';

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
      {bytes(letter.bytes)} {mayRead && <Button text="Show data" class="small" aria-expanded={shown !== undefined} onClick={toggle} />}
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

const Attributes = ({ attributes, otherAttributes, session }: Letter & Readonly<{ session: Session }>) => (
  <ul class="plain">
    {Object.entries(attributes).map(([name, value]) => {
      const meant = meantBy({ service: 'messaging' }, value);
      return (
        <li key={name}>
          <code>{name}</code> {meant ? <IdLink meant={meant} session={session} /> : value}
        </li>
      );
    })}
    {otherAttributes.map((name) => (
      <li key={name}>
        <code>{name}</code> <span class="quiet">hidden</span>
      </li>
    ))}
  </ul>
);

type Selection = Readonly<{ has: (id: string) => boolean; toggle: (id: string) => void }>;

type ListProps = Readonly<{ of: LettersOf; topic: string; letters: Letters; session: Session; selection: Selection | undefined }>;

const List = ({ of: { project }, topic, letters: { items, next }, session, selection }: ListProps) => {
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
    { name: 'Attributes', show: (letter) => <Attributes {...letter} session={session} /> },
    { name: 'Reason', show: ({ reason }) => reason },
    { name: 'Attempts', end: true, show: ({ attempts }) => (attempts === null ? '–' : count(attempts)) },
    { name: 'When', show: ({ at }) => <Time at={at} relative /> },
    { name: 'Data', show: (letter) => <Data project={project} topic={topic} letter={letter} mayRead={mayAudit(session)} /> },
  ];
  const empty = next === null ? 'There are no dead letters.' : 'There are none among the newest messages of the topic.';
  return <Table caption="Dead letters" heading columns={columns} rows={items} keyOf={({ id }) => id} empty={empty} />;
};

/** The newest page with older ones that were shown before. */
const joined = (newest: Letters, shown: Letters | undefined): Letters => {
  const { next } = newest;
  if (!shown || next === null) return newest;
  const older = shown.items.filter(({ id }) => Number(id) < Number(next));
  const rest = shown.next === null ? null : `${Math.min(Number(shown.next), Number(next))}`;
  return { ...newest, items: [...newest.items, ...older], next: rest };
};

/** The newest page, again and again; an older one only when somebody asks for it. */
const useLetters = (of: LettersOf) => {
  const shown = useRef<Letters | undefined>(undefined);
  const isMoreWanted = useRef(false);
  const load = async (signal: AbortSignal): Promise<Letters> => {
    let found = joined(await loadLetters(of, undefined, signal), shown.current);
    if (isMoreWanted.current && found.next !== null) {
      const { items, next } = await loadLetters(of, found.next, signal);
      found = { ...found, items: [...found.items, ...items], next };
    }
    isMoreWanted.current = false;
    shown.current = found;
    return found;
  };
  const letters = useData(load, [of.project, of.kind, of.name], LIVE_MS);
  const more = () => {
    isMoreWanted.current = true;
    letters.again();
  };
  /** Shows these no longer. Default: nothing but the newest page. */
  const drop = (ids?: readonly string[]) => {
    shown.current = ids && shown.current && { ...shown.current, items: shown.current.items.filter(({ id }) => !ids.includes(id)) };
    letters.again();
  };
  return { letters, more, drop };
};

type ArrivedProps = Readonly<{ of: LettersOf; messages: number; from: readonly string[] }>;

/** Says that messages were sent, and to whom. `from`: subscriptions that could not deliver them. */
const Arrived = ({ of: { project, kind }, messages, from }: ArrivedProps) => {
  const { they, them, topics, such } = sentBackTo(messages, kind === 'subscriptions');
  return (
    <>
      {they === 'it' ? 'It was' : 'They were'} sent again to {topics}: every subscription of {such} gets {them}
      {from.length > 0 && ', not only '}
      {from.map((name, at) => (
        <>
          {at > 0 && ', '}
          <a href={subscriptionPlace(project, name)}>{name}</a>
        </>
      ))}
      .
    </>
  );
};

const NONE: ReadonlySet<string> = new Set();

/** Dead letters, for operators with what sends them back. */
export const DeadLetters = ({ of, session }: Readonly<{ of: LettersOf; session: Session }>) => {
  const [selected, setSelected] = useState(NONE);
  const [asking, setAsking] = useState(false);
  const acting = useActing();
  const { letters, more, drop } = useLetters(of);
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  /** `messages`: default all, of which those shown say where they came from. */
  const send = ({ items }: Letters, messages?: readonly string[]) =>
    acting.act(async () => {
      const outcome = await redrive(of, messages);
      setSelected(NONE);
      drop(outcome.kept === 0 ? messages : undefined);
      const sent = messages ? items.filter(({ id }) => messages.includes(id)) : items;
      const from = [...new Set(sent.flatMap((letter) => letter.from ?? []))];
      const arrived = outcome.redriven > 0 && <Arrived of={of} messages={outcome.redriven} from={from} />;
      return { text: redrivenText(outcome), tone: 'good', more: arrived };
    });
  const actions = (found: Letters) => {
    const { items, next, total } = found;
    const them = total.count === 1 ? 'it' : 'them';
    const chosen = items.flatMap(({ id }) => (selected.has(id) ? id : [])).reverse();
    return (
      <>
        <p class="quiet">A message that is redriven is published again to its topic: every subscription of the topic gets it.</p>
        <div class="buttons">
          <Button text="Redrive selected" disabled={chosen.length === 0 || acting.busy} onClick={() => send(found, chosen)} />
          <Button text="Redrive all" disabled={(items.length === 0 && next === null) || acting.busy} onClick={() => setAsking(true)} />
        </div>
        {asking && (
          <Confirm
            title="Redrive all dead letters?"
            action={`Redrive ${messagesText(total)}`}
            act={async () => {
              setAsking(false);
              await send(found);
            }}
            onClose={() => setAsking(false)}
          >
            <p>
              {messagesText(total)} will be published again to{' '}
              {total.count === 1 ? 'the topic that it came from' : 'the topics that they came from, the oldest first'}.
            </p>
            <p>
              Every subscription of such a topic gets {them} again, not only the one that could not deliver {them}.
            </p>
          </Confirm>
        )}
      </>
    );
  };
  return (
    <>
      {mayOperate(session) && <Outcome said={acting.said} error={acting.error} />}
      <Loading of={letters}>
        {(found) => {
          const { topic, exists, next } = found;
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
                letters={found}
                session={session}
                selection={mayOperate(session) ? { has: (id) => selected.has(id), toggle } : undefined}
              />
              {next !== null && <Button text="More" onClick={more} />}
            </>
          );
        }}
      </Loading>
    </>
  );
};

const messagesText = (total: Letters['total']): string => `${atLeast(total)} message${total.count === 1 ? '' : 's'}`;
