/**
 * Kinds with their own page. `status.host`: the page of its group. `user`: of any service, by the id under which it acts. `request`, `conversation`:
 * the list of its events. `record`: any other, found by its id alone.
 */
export const PLACE_KINDS = [
  'status.metric_profile',
  'status.operations_profile',
  'status.aggregation_profile',
  'status.thresholds_profile',
  'status.weights',
  'status.tenant',
  'status.report',
  'status.group',
  'status.host',
  'messaging.project',
  'messaging.topic',
  'messaging.subscription',
  'accounting.project',
  'user',
  'event',
  'request',
  'conversation',
  'record',
] as const;

/**
 * `place`: name of the owner. `within`: id of the tenant or name of the project, if the page needs it. `report`: name of that of a group or host. `group`:
 * name of that of a host. `isPerson`: a personal name.
 */
export type RecordPlace = Readonly<{
  kind: (typeof PLACE_KINDS)[number];
  id: string;
  name: string;
  place: string | null;
  within: string | null;
  report?: string;
  group?: string;
  isPerson: boolean;
}>;

export const placeOfRecord = (
  kind: RecordPlace['kind'],
  id: string,
  name: string,
  rest: Partial<Omit<RecordPlace, 'kind' | 'id' | 'name'>> = {},
): RecordPlace => ({
  kind,
  id,
  name,
  place: null,
  within: null,
  isPerson: false,
  ...rest,
});

/** Word for the kind of a place. */
export const wordOf = ({ kind }: RecordPlace): string => kind.slice(kind.indexOf('.') + 1).replaceAll('_', ' ');
