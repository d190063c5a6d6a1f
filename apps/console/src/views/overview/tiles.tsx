import type { ComponentChildren } from 'preact';
import type { LiveOverview } from '../../api/types.js';
import { Sparkline } from '../../charts/sparkline.js';
import { count, counted, duration } from '../../parts/figures.js';
import { State, toneOf } from '../../parts/state.js';
import { Time } from '../../parts/time.js';
import { placeOf } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';

type TilesProps = Readonly<{ overview: LiveOverview; reaches: ViewProps['reaches'] }>;
type Hours = NonNullable<LiveOverview['services']['hours']>;

/** Whether other nodes keep the chain. One that has the index of the log, and so `hours`, is configured without a chain. */
export const isChainElsewhere = ({ chain, services }: LiveOverview): boolean => chain.status === 'off' && !services.hours;

/** The three services and the log, in a few figures each (console contract 8). */
export const Tiles = ({ overview, reaches }: TilesProps) => {
  const { at, chain, services } = overview;
  const { messaging, status, lastUsageAt, hours } = services;
  const isElsewhere = isChainElsewhere(overview);
  const secondsSince = (instant: string): number => Math.max(0, (Date.parse(at) - Date.parse(instant)) / 1_000);
  const tile = (name: string, view: string, of: keyof Hours, counted: string, figures: ComponentChildren) => (
    <section class="tile" aria-label={name}>
      <h2>{name}</h2>
      {figures}
      {hours && <Sparkline title={counted} values={hours[of].counts} />}
      {reaches(view) && <a href={placeOf(view)}>Open {view === '/integrity' ? 'Integrity' : name}</a>}
    </section>
  );
  return (
    <div class="tiles">
      {tile(
        'Messaging',
        '/messaging',
        'messaging',
        'Messages published an hour',
        <Messaging now={messaging} secondsSince={secondsSince} />,
      )}
      {tile('Status', '/status', 'status', 'Events of the status service an hour', <Status now={status} findings={overview.findings} />)}
      {tile(
        'Accounting',
        '/accounting',
        'accounting',
        'Events of the accounting service an hour',
        <p class="figure">
          {lastUsageAt ? (
            <>last usage {<Time at={lastUsageAt} relative />}</>
          ) : hours ? (
            'no usage yet'
          ) : (
            'last usage not known on this node'
          )}
        </p>,
      )}
      {tile(
        'Log',
        '/integrity',
        'log',
        'Events of the log an hour',
        <>
          <p class="figure">
            <State tone={toneOf(chain.status)}>{`chain ${isElsewhere ? 'on other nodes' : chain.status}`}</State>
          </p>
          <p>
            {typeof chain.anchorAgeSeconds === 'number' ? (
              <>last anchor {ago(at, chain.anchorAgeSeconds)}</>
            ) : isElsewhere ? (
              'last anchor not known on this node'
            ) : (
              'no anchor yet'
            )}
            {overview.findings.some(({ kind }) => kind === 'anchor-old') && (
              <>
                {' '}
                <State tone="bad">too old</State>
              </>
            )}
          </p>
        </>,
      )}
    </div>
  );
};

const ago = (now: string, seconds: number) => (
  <Time at={`${new Date(Math.floor((Date.parse(now) - 1_000 * seconds) / 1_000) * 1_000).toISOString().slice(0, 19)}Z`} relative />
);

type MessagingProps = Readonly<{ now: LiveOverview['services']['messaging']; secondsSince: (instant: string) => number }>;

const Messaging = ({ now, secondsSince }: MessagingProps) => {
  if (!now) return <p class="quiet">Counting …</p>;
  return (
    <>
      <p class="figure">
        {now.exact ? '' : 'at most '}
        {count(now.waiting)} waiting
      </p>
      {now.oldestPublishedAt && <p>oldest {duration(secondsSince(now.oldestPublishedAt))}</p>}
      {now.deadLetters > 0 && (
        <p>
          <State tone="bad">{counted(now.deadLetters, 'dead letter')}</State>
        </p>
      )}
    </>
  );
};

/** In place of groups whose status is not known. */
const UNKNOWN: Readonly<Record<string, string>> = { 'results-paused': 'results paused', 'results-too-large': 'too many groups' };

type StatusProps = Readonly<{ now: LiveOverview['services']['status']; findings: LiveOverview['findings'] }>;

const Status = ({ now, findings }: StatusProps) => {
  if (!now) return <p class="quiet">Looking …</p>;
  const unknown = findings.flatMap(({ kind }) => UNKNOWN[kind] ?? []);
  const isWell = unknown.length === 0 && now.notOk === 0;
  return (
    <>
      {isWell && <p class="figure">{now.groups > 0 ? <State tone="good">all groups OK</State> : 'no groups yet'}</p>}
      {unknown.map((text) => (
        <p key={text} class="figure">
          <State tone="bad">{text}</State>
        </p>
      ))}
      {now.notOk > 0 && (
        <p class="figure">
          <State tone="bad">{`${counted(now.notOk, 'group')} not OK`}</State>
        </p>
      )}
      {now.worst && (
        <p title={`report ${now.worst.report}`}>
          worst: {now.worst.name} in {now.worst.tenant}, {now.worst.status}
        </p>
      )}
      {now.lateDays > 0 && (
        <p>
          <State tone="busy">{`late data of ${counted(now.lateDays, 'day')}, ${counted(now.lateTenants, 'tenant')}`}</State>
        </p>
      )}
    </>
  );
};
