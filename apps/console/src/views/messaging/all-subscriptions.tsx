import { serverNow } from '../../api/server-time.js';
import { useData } from '../../api/use-data.js';
import { Choice } from '../../parts/fields/field.js';
import { Loading } from '../../parts/loading.js';
import { type Column, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { go } from '../../place.js';
import { Marked, OldestWaiting, PushCell } from './cells.js';
import { type AllSubscriptions as Answer, loadAllSubscriptions } from './load.js';
import { listPlace, projectPlace, subscriptionPlace } from './places.js';
import { atLeast, shownText, troublesOf, waitingText } from './texts.js';

const LIVE_MS = 5_000;

/** Orders, as shown; the subscriptions that they list, if not all; text of an empty list. */
const ORDERS: Readonly<Record<string, Readonly<{ shown: string; lists?: string; empty: string }>>> = {
  backlog: { shown: 'largest backlog', empty: 'There is no subscription yet.' },
  oldest: { shown: 'oldest message', lists: 'those in which messages wait', empty: 'No message waits in any subscription.' },
  push: {
    shown: 'failing push',
    lists: 'those whose push fails, then those whose push endpoint is not verified',
    empty: 'No push fails, and all push endpoints are verified.',
  },
  'dead-letters': { shown: 'dead letters', lists: 'those that have dead letters', empty: 'There are no dead letters.' },
};

const COLUMNS: readonly Column<Answer['items'][number]>[] = [
  {
    name: 'Subscription',
    show: (row) => (
      <>
        <Marked {...row} troubles={troublesOf(row, serverNow())} />
        <div class="quiet">
          in <a href={projectPlace(row.project)}>{row.project}</a>
        </div>
      </>
    ),
  },
  { name: 'Backlog', end: true, show: waitingText },
  { name: 'Oldest waiting', show: (row) => <OldestWaiting {...row} /> },
  { name: 'Push', show: (row) => <PushCell {...row} /> },
  {
    name: 'Dead letters',
    end: true,
    show: ({ project, name, deadLetters }) =>
      deadLetters ? <a href={subscriptionPlace(project, name, 'dead-letters')}>{atLeast(deadLetters)}</a> : '–',
  },
];

/** Subscriptions of all projects, those first that need somebody's attention. `order`: as in the query. */
export const AllSubscriptions = ({ order: asked }: Readonly<{ order: string }>) => {
  const order = Object.hasOwn(ORDERS, asked) ? asked : 'backlog';
  const found = useData((signal) => loadAllSubscriptions(order, signal), [order], LIVE_MS);
  return (
    <>
      <div class="fields dense">
        <Choice
          label="Order"
          value={order}
          onValue={(chosen) => go(listPlace(chosen), true)}
          options={Object.entries(ORDERS).map(([value, { shown }]) => [value, shown])}
        />
      </div>
      <Loading of={found}>
        {(list) =>
          list.countedAt === null ? (
            <p class="quiet">The subscriptions of all projects are being counted …</p>
          ) : (
            <>
              <Table
                caption="Subscriptions of all projects"
                columns={COLUMNS}
                rows={list.items}
                keyOf={({ project, name }) => `${project} ${name}`}
                empty={ORDERS[order]?.empty ?? ''}
              />
              <p class="quiet" aria-live="off">
                {shownText(list, ORDERS[order]?.lists)}
                Counted <Time at={list.countedAt} relative />.
              </p>
            </>
          )
        }
      </Loading>
    </>
  );
};
