import { get } from '../../api/client.js';
import type { AnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { count, counted } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { State } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';

const LIVE_MS = 5_000;

type Groups = AnswerOf<'/ops/groups'>;

const dayPlace = ({ tenant, report, group, day }: Groups['items'][number]): string =>
  placeOf('/status', { tenant: tenant.id, report, group, day });

/** Groups of all tenants that are not OK now, each with a link to its day. */
export const NotOkNow = () => {
  const found = useData((signal) => get<Groups>('/ops/groups', {}, { signal }), [], LIVE_MS);
  return (
    <Loading of={found}>
      {({ items, total, groups }) =>
        groups === null || groups === 0 ? null : total === 0 ? (
          <p>
            <State tone="good">{`All ${counted(groups, 'group')} are OK now`}</State>
          </p>
        ) : (
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
        )
      }
    </Loading>
  );
};
