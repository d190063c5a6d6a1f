import { useEffect, useState } from 'preact/hooks';
import { get, pathOf } from '../../api/client.js';
import type { Session } from '../../api/session.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { CopyId } from '../../parts/copyable.js';
import { Choice } from '../../parts/fields/field.js';
import { counted } from '../../parts/figures.js';
import type { LinkedIds } from '../../parts/id-link.js';
import { Loading } from '../../parts/loading.js';
import { ActorName, NameOfRecord, PlaceOfRecord, useActorName } from '../../parts/name.js';
import { State } from '../../parts/state.js';
import { Table } from '../../parts/table.js';
import { exactTime, Time } from '../../parts/time.js';
import { Tree } from '../../parts/tree.js';
import { go, placeOf } from '../../place.js';
import { kindText } from '../../records/kind-text.js';
import { actorPlace, type Reference, versionsPlace } from '../../records/places.js';
import { againstOf } from './difference.js';
import { Difference } from './difference-lines.js';
import { KINDS, nameOf, scopeToList } from './kinds.js';
import { type ResourceAnswer, type Version, versionAt } from './versions.js';

/** Versions that a page has. */
const PAGE = 100;
/** Pages that are looked at without asking for more, until one has the version of a moment. */
const MOST_PAGES = 10;

type Versions = Readonly<{ resource: ResourceAnswer['resource']; versions: readonly Version[]; pages: number; more: boolean }>;

/** The newest versions, so many pages of them and more up to that of a moment, oldest first. */
const load = async (
  { service, kind, id, scope }: Reference,
  pages: number,
  asOf: string | undefined,
  signal: AbortSignal,
): Promise<Versions> => {
  const path = pathOf('/audit/resources', service, kind, id);
  let found: ResourceAnswer | undefined;
  const versions: Version[] = [];
  const isWanted = (page: number): boolean => page < pages || (page < MOST_PAGES && asOf !== undefined && !versionAt(versions, asOf));
  let page = 0;
  for (; found?.next !== null && isWanted(page); page += 1) {
    const query = { scope: scope ?? undefined, order: 'desc', limit: PAGE, after: found?.next ?? undefined };
    found = await get<ResourceAnswer>(path, query, { signal, exact: true });
    versions.unshift(...[...found.versions].reverse());
  }
  return { resource: found?.resource ?? {}, versions, pages: page, more: typeof found?.next === 'number' };
};

/** -1: the record was not there yet, or the version is not loaded. */
const placeIn = (versions: readonly Version[], version: Version | undefined): number => (version ? versions.indexOf(version) : -1);

/** The name that the record had last; `''` where records of its kind have none, or it is not shown. */
const nameIn = (versions: readonly Version[]): string => {
  const name = nameOf(versions.findLast(({ value }) => value !== null)?.value);
  return /^\[(personal|secret|erased)\]$/.test(name) ? '' : name;
};

const verbOf = ({ version, value }: Version): string => (value === null ? 'deleted' : version === 1 ? 'created' : 'changed');

/** `''`: the record was not there yet. */
const useTitle = (version: Version | undefined): string => {
  const actor = useActorName(version?.actor);
  return version ? `Version ${version.version}: ${verbOf(version)} by ${actor}, ${exactTime(version.time)}` : '';
};

/** The versions in a row, with the slider that goes through them. */
const Slider = ({ versions, shown, onShow }: Readonly<{ versions: readonly Version[]; shown: number; onShow: (at: number) => void }>) => {
  const title = useTitle(versions[shown]);
  return (
    <div class="field slider">
      <label htmlFor="version-slider">Version</label>
      <input
        id="version-slider"
        type="range"
        min={0}
        max={Math.max(0, versions.length - 1)}
        value={Math.max(0, shown)}
        aria-valuetext={title || 'not there yet'}
        onInput={({ currentTarget }) => onShow(Number(currentTarget.value))}
      />
      <svg class="marks" viewBox="0 0 1000 12" preserveAspectRatio="none" aria-hidden="true">
        {versions.map((one, at) => (
          <rect
            key={one.version}
            x={versions.length < 2 ? 0 : (at / (versions.length - 1)) * 994}
            y={one.value === null ? 6 : 0}
            width="6"
            height={one.value === null ? 6 : 12}
            class={at === shown ? 'shown' : ''}
          />
        ))}
      </svg>
    </div>
  );
};

type TimelineProps = Readonly<{ versions: readonly Version[]; shown: number; reference: Reference; session: Session }>;

/** Versions after the one that is shown are marked. */
const Timeline = ({ versions, shown, reference, session }: TimelineProps) => (
  <Table
    caption="Versions, newest first"
    columns={[
      {
        name: 'Version',
        show: (version) => (
          <>
            <a href={versionsPlace(reference, { 'as-of': version.position })}>{version.version}</a>{' '}
            {versions.indexOf(version) > shown && <State tone="quiet">later</State>}
          </>
        ),
      },
      { name: 'When', show: ({ time }) => <Time at={time} /> },
      {
        name: 'Who',
        show: (version) => (
          <a href={actorPlace({ id: '', ...version.actor }, session)}>
            <ActorName actor={version.actor} />
          </a>
        ),
      },
      { name: 'Event', show: ({ type, index }) => <a href={placeOf(`/events/${index}`)}>{type}</a> },
      { name: 'Changes', end: true, show: ({ change = [] }) => change.length },
    ]}
    rows={[...versions].reverse()}
    keyOf={({ version }) => `${version}`}
  />
);

/** Kinds whose value has a snapshot for each of some days. */
const DATED = ['operations_profile', 'aggregation_profile', 'metric_profile', 'thresholds_profile', 'weights'];

/** Day of the snapshot that came with a version of a dated record; of one that deletes it the last. */
const dayOf = ({ value, change = [] }: Version): string => {
  const [path = ''] = change.map((operation) => String('path' in operation ? operation.path : ''));
  return path.split('/')[1] ?? Object.keys(value ?? {})[0] ?? '9999-12-31';
};

/** What is compared: of a dated record one snapshot each. */
const comparedOf = (kind: string, before: Version | undefined, after: Version | undefined) => {
  const values = { before: before?.value, after: after?.value };
  if (!DATED.includes(kind) || !after) return values;
  const day = dayOf(after);
  const against = againstOf(before?.value, day);
  return { before: against.value, after: (after.value as Readonly<Record<string, unknown>> | null)?.[day], against: against.day };
};

type CompareProps = Readonly<{ versions: readonly Version[]; shown: number; kind: string; ids: LinkedIds }>;

/** At first the version that is shown with the one before it. */
const Compare = ({ versions, shown, kind, ids }: CompareProps) => {
  const numbers = versions.map(({ version }) => `${version}`);
  const [before, setBefore] = useState(numbers[shown - 1] ?? '');
  const [after, setAfter] = useState(numbers[shown] ?? '');
  const versionOf = (number: string): Version | undefined => versions.find(({ version }) => `${version}` === number);
  const options = versions.map((version) => [`${version.version}`, `${version.version} · ${exactTime(version.time)}`] as const).reverse();
  return (
    <>
      <h2>Difference</h2>
      <div class="fields wide">
        <Choice label="Before" value={before} onValue={setBefore} options={[...options, ['', 'before it was there']]} />
        <Choice label="After" value={after} onValue={setAfter} options={options} />
      </div>
      <Difference key={`${before} ${after}`} {...comparedOf(kind, versionOf(before), versionOf(after))} ids={ids} />
    </>
  );
};

type ShownProps = Readonly<{
  version: Version | undefined;
  /** Shown in place of a version. */
  otherwise: string;
  reference: Reference;
  asOf: string | undefined;
  ids: LinkedIds;
}>;

const Shown = ({ version, otherwise, reference, asOf, ids }: ShownProps) => {
  const { service, kind, scope } = reference;
  const title = useTitle(version);
  const scopeKind = scopeToList(service, kind);
  const { list: read, listsNow } = KINDS[service]?.[kind] ?? {};
  const isListed = read !== undefined && !listsNow && (scopeKind === undefined || !!scope);
  const list = placeOf('/resources', { service, kind, scope: scope ?? undefined, 'as-of': asOf ?? version?.position });
  return (
    <>
      <p role="status">{title || otherwise}</p>
      {version?.value === null && <State tone="quiet">deleted with this version</State>}
      {version && version.value !== null && (
        <div class="tree">
          <Tree value={version.value} open={3} ids={ids} />
        </div>
      )}
      {isListed && (
        <p>
          <a href={list}>The whole list at this time</a>
        </p>
      )}
    </>
  );
};

type RecordProps = Readonly<{ reference: Reference; asOf: string | undefined; session: Session }>;

/** One record: its versions, how it was at any of them, and what is different between two. */
export const ResourceRecord = ({ reference, asOf, session }: RecordProps) => {
  const [pages, setPages] = useState(1);
  const { service, kind, id, scope } = reference;
  const [sought, setSought] = useState(asOf);
  const record = useData((signal) => load(reference, pages, sought, signal), [service, kind, id, scope, pages, sought]);
  const isLoaded = asOf === undefined || !record.data?.more || versionAt(record.data.versions, asOf) !== undefined;
  useEffect(() => {
    if (!isLoaded) setSought(asOf);
  }, [isLoaded, asOf]);
  return (
    <Loading of={record}>
      {({ resource, versions, pages: loaded, more }) => {
        // The address may have names where ids are looked up.
        const named: Reference = { ...reference, id: resource.id ?? id, scope: resource.scope ?? scope };
        const ids: LinkedIds = { spot: { service, project: named.scope ?? undefined }, session };
        const shown = asOf === undefined ? versions.length - 1 : placeIn(versions, versionAt(versions, asOf));
        const otherwise = more ? `Not one of the newest ${counted(versions.length, 'version')}.` : 'The record was not there yet.';
        const show = (at: number) => go(versionsPlace(reference, { 'as-of': versions[at]?.position }), true);
        return (
          <>
            <h2>
              {nameIn(versions) || <NameOfRecord {...named} />}
              <span class="quiet">
                : {kindText(kind)} of <PlaceOfRecord {...named} />
              </span>{' '}
              {resource.deleted && <State tone="quiet">deleted</State>} <CopyId id={named.id} />
            </h2>
            <Slider versions={versions} shown={shown} onShow={show} />
            <Shown version={versions[shown]} otherwise={otherwise} reference={reference} asOf={asOf} ids={ids} />
            {shown >= 0 && <Compare key={`${versions.length} ${shown}`} versions={versions} shown={shown} kind={kind} ids={ids} />}
            <h2>Timeline</h2>
            <Timeline versions={versions} shown={shown} reference={reference} session={session} />
            {more && (
              <p>
                {counted(versions.length, 'version')} shown. <Button text="More" onClick={() => setPages(loaded + 1)} />
              </p>
            )}
          </>
        );
      }}
    </Loading>
  );
};
