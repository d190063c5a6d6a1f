import { useState } from 'preact/hooks';
import { useData } from '../../api/use-data.js';
import { Combobox } from '../../parts/fields/combobox.js';
import { Choice, Field } from '../../parts/fields/field.js';
import { namesOf, type Option, useCombobox } from '../../parts/fields/use-combobox.js';
import { counted } from '../../parts/figures.js';
import { Loading } from '../../parts/loading.js';
import { Table } from '../../parts/table.js';
import { go, placeOf } from '../../place.js';
import { kindText } from '../../records/kind-text.js';
import { versionsPlace } from '../../records/places.js';
import { useAsOf } from '../../shell/as-of.js';
import { momentOf } from '../as-of.js';
import { KINDS, type ListedRecord, listed, matching, scopeToList } from './kinds.js';

type Chosen = Readonly<{ service: string; kind: string; scope: string; name: string }>;

const SCOPE_LABELS = { project: 'Project', tenant: 'Tenant' } as const;
type ScopeKind = keyof typeof SCOPE_LABELS;

/** `asOf`: `undefined` for now. */
const load = async (chosen: Omit<Chosen, 'name'>, asOf: string | undefined, signal: AbortSignal): Promise<readonly ListedRecord[]> =>
  listed({ ...chosen, asOf: await momentOf(asOf, signal), signal });

/** Tenants by id, projects by name: as the paths of their lists have them. What is looked for by its id keeps it. */
const scopeOf = (kind: ScopeKind, { id, name }: ListedRecord, text: string): Option => ({
  value: kind === 'tenant' || id === text ? id : name,
  name,
});

/** Tenants and projects for the field of the scope; where none of now fits, those of the point in time that is shown. */
const useScope = (kind: ScopeKind, value: string) => {
  const asOf = useAsOf();
  return useCombobox({
    noun: kind,
    value,
    suggest: async (text, signal = new AbortController().signal) => {
      const now = await namesOf(kind === 'tenant' ? 'status.tenant' : 'messaging.project')(text, signal);
      if (now.length > 0 || asOf === undefined) return now.map((one) => scopeOf(kind, { id: one.value, name: one.name }, text));
      const service = kind === 'tenant' ? 'status' : 'messaging';
      return matching(await load({ service, kind, scope: '' }, asOf, signal), text).map((one) => scopeOf(kind, one, text));
    },
  });
};

const Found = ({ chosen }: Readonly<{ chosen: Chosen }>) => {
  const { service, kind, scope, name } = chosen;
  const asOf = useAsOf();
  const found = useData((signal) => load({ service, kind, scope }, asOf, signal), [service, kind, scope, asOf]);
  return (
    <Loading of={found}>
      {(records) => {
        const rows = matching(records, name);
        const kept = KINDS[service]?.[kind]?.scope === undefined ? undefined : scope;
        return (
          <>
            <p class="quiet">{counted(rows.length, 'record')}. What was deleted before is found by its id.</p>
            <Table
              caption={`Records: ${service} ${kindText(kind)}`}
              columns={[
                {
                  name: 'Name',
                  show: (record) => (
                    <a href={versionsPlace({ service, kind, id: record.id, scope: kept })} title={record.id}>
                      {record.name || record.id}
                    </a>
                  ),
                },
              ]}
              rows={rows}
              keyOf={({ id }) => id}
              empty="No record has such a name."
            />
          </>
        );
      }}
    </Loading>
  );
};

/** Which record: by service, kind and id, or by a part of its name among those of now or of a point in time. */
export const Chooser = ({ query }: Readonly<{ query: URLSearchParams }>) => {
  const given = (name: string): string => query.get(name) ?? '';
  const [chosen, setChosen] = useState<Chosen>({
    service: given('service') || 'status',
    kind: given('kind') || 'tenant',
    scope: given('scope'),
    name: given('name'),
  });
  const [id, setId] = useState('');
  const { service, kind, scope, name } = chosen;
  const kinds = Object.keys(KINDS[service] ?? {});
  const scopeKind = scopeToList(service, kind);
  const needsScope = KINDS[service]?.[kind]?.scope !== undefined;
  const hasList = KINDS[service]?.[kind]?.list !== undefined;
  const scopeField = useScope(scopeKind ?? 'tenant', scope);
  const change = (changed: Partial<Chosen>) => setChosen({ ...chosen, ...changed });
  const open = async (event: Event) => {
    event.preventDefault();
    const found = scopeKind === undefined ? '' : await scopeField.resolve();
    if (found === undefined) return;
    if (id.trim() !== '') go(versionsPlace({ service, kind, id: id.trim(), scope: needsScope ? found : undefined }));
    else go(placeOf('/resources', { service, kind, scope: found, name }));
  };
  const { list, listsNow } = KINDS[given('service')]?.[given('kind')] ?? {};
  const isComplete = given('scope') !== '' || scopeToList(given('service'), given('kind')) === undefined;
  const isPast = useAsOf() !== undefined;
  return (
    <>
      <form onSubmit={open}>
        <div class="fields">
          <Choice
            label="Service"
            value={service}
            onValue={(found) => change({ service: found, kind: Object.keys(KINDS[found] ?? {})[0] ?? '', scope: '' })}
            options={Object.keys(KINDS)}
          />
          <Choice
            label="Kind"
            value={kind}
            onValue={(found) => change({ kind: found, scope: '' })}
            options={kinds.map((one) => [one, kindText(one)])}
          />
          {scopeKind && (
            <Combobox
              label={SCOPE_LABELS[scopeKind]}
              field={scopeField}
              required={id.trim() === '' || needsScope}
              hint="a name or an id; its records are listed"
            />
          )}
          {hasList && <Field label="Name" value={name} onValue={(value) => change({ name: value })} hint="a part of it; empty lists all" />}
          <Field
            label={KINDS[service]?.[kind]?.id ?? 'Id'}
            value={id}
            onValue={setId}
            required={!hasList}
            hint={KINDS[service]?.[kind]?.id ? 'YYYY-MM-DD' : 'opens the record'}
          />
        </div>
        <div class="buttons">
          <button type="submit" class="primary">
            Show
          </button>
        </div>
      </form>
      {query.has('service') && list && listsNow && isPast && (
        <p class="quiet">There is no list of the past of this kind. Its records are found by their ids.</p>
      )}
      {query.has('service') && list && isComplete && !(listsNow && isPast) && (
        <Found chosen={{ service: given('service'), kind: given('kind'), scope: given('scope'), name: given('name') }} />
      )}
    </>
  );
};
