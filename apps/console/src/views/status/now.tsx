import { encoded, get } from '../../api/client.js';
import { mayOperate, type Session } from '../../api/session.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { count } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import { allOkText } from './rows.js';

const LIVE_MS = 5_000;

type Groups = AnswerOf<'/ops/groups'>;

const dayPlace = ({ tenant, report, group, day }: Groups['items'][number]): string =>
  placeOf('/status', { tenant: tenant.id, report, group, day });

/** The page on which operators resume a paused partition. */
const Pausing = ({ projection, session }: Readonly<{ projection: string; session: Session }>) =>
  mayOperate(session) ? <a href={placeOf(`/projections/${encoded(projection)}`)}>{projection}</a> : <span>{projection}</span>;

/** Tenants and reports whose groups are not known, each with the reason. */
const NotCounted = ({ of, session }: Readonly<{ of: Groups['notCounted']; session: Session }>) => (
  <section aria-label="Results paused">
    <h2>Results paused</h2>
    <ul class="plain">
      {of.map(({ tenant, report, projection }) => (
        <li key={`${tenant.id} ${report}`}>
          <span title={tenant.id}>{tenant.name}</span> <State tone="bad">{projection ? 'paused' : 'too large'}</State>{' '}
          {projection ? (
            <>
              <Pausing projection={projection} session={session} /> cannot apply an event: nothing is known of the groups.
            </>
          ) : (
            `the groups of ${report} are more than a call may read.`
          )}
        </li>
      ))}
    </ul>
  </section>
);

/** Days whose data arrived late, a row a tenant, whose map has the way to a recomputation. */
const LateDaysOfAll = ({ of }: Readonly<{ of: Groups['late'] }>) => (
  <section aria-label="Late data">
    <h2>Late data of the last seven days</h2>
    <ul class="plain">
      {[...Map.groupBy(of, ({ tenant }) => tenant.id)].map(([tenant, days]) => (
        <li key={tenant}>
          <a href={placeOf('/status', { tenant, from: days[0]?.day, to: days.at(-1)?.day })} title={tenant}>
            {days[0]?.tenant.name}
          </a>
          : {days.map(({ day }) => day).join(', ')}; the last point arrived at{' '}
          <Time
            at={days
              .map(({ at }) => at)
              .sort()
              .at(-1)}
          />
        </li>
      ))}
    </ul>
  </section>
);

/** Groups of all tenants that are not OK now, each with a link to its day. */
export const NotOkNow = ({ session }: Readonly<{ session: Session }>) => {
  const found = useData((signal) => get<Groups>('/ops/groups', {}, { signal }), [], LIVE_MS);
  return (
    <Loading of={found}>
      {(all) => (
        <>
          {all.notCounted.length > 0 && <NotCounted of={all.notCounted} session={session} />}
          <Counted of={all} />
          {all.late.length > 0 && <LateDaysOfAll of={all.late} />}
        </>
      )}
    </Loading>
  );
};

const Counted = ({ of: { items, total, groups, notCounted } }: Readonly<{ of: Groups }>) => {
  if (groups === null || groups === 0) return null;
  if (total === 0)
    return (
      <p>
        <State tone="good">{allOkText(groups, notCounted.length === 0)}</State>
      </p>
    );
  return (
    <section aria-label="Not OK now">
      <h2>Not OK now</h2>
      <ul class="plain">
        {items.map((row) => (
          <li key={`${row.tenant.id} ${row.report} ${row.group}`}>
            <a href={dayPlace(row)}>{row.group}</a> <State tone="bad">{row.status}</State>{' '}
            {row.since === null ? (
              'for more than 7 days'
            ) : (
              <>
                since <Time at={row.since} />
              </>
            )}{' '}
            <span class="quiet" title={row.tenant.id}>
              {row.report} of {row.tenant.name}
            </span>
          </li>
        ))}
      </ul>
      {total > items.length && (
        <p class="quiet">
          The first {count(items.length)} of {count(total)}.
        </p>
      )}
    </section>
  );
};
