import type { InstallationClosing } from '#domain/accounting/catalogue/catalogue-events.js';
import type { DefinitionClosing, DefinitionEvent } from '#domain/accounting/definitions/definition-events.js';
import type { MetricEvent } from '#domain/accounting/metrics/metric-events.js';
import { orderOf } from '#projections/accounting/log-order.js';
import type { DocumentRef } from '#projections/shared/collection.js';
import type { DocumentChanges } from '#projections/shared/document-changes.js';
import { type EventOf, type Handlers, reading } from '#projections/shared/read-model.js';
import { type ClosedSpan, closedDefinitions, installations } from './documents.js';

/** Events that block and allow new references from metrics to a definition or an installation. */
export type UsageClosing = DefinitionClosing | Extract<DefinitionEvent, { type: 'MetricDefinitionRevised' }> | InstallationClosing;

type Event<Type extends UsageClosing['type']> = EventOf<Extract<UsageClosing, { type: Type }>>;
type Recorded = EventOf<Extract<MetricEvent, { type: 'MetricRecorded' }>>;

/** Maximum stored spans per definition. Older ones matter only to events that were set aside before them. */
const MAX_SPANS = 20;

const isOpenEnded = ({ to }: ClosedSpan): boolean => to === null;

/** Ends any closing of the definition. */
const definitionOpened = reading(
  ({ data }: Event<'MetricDefinitionReopened' | 'MetricDefinitionRevised'>) => ({ spans: closedDefinitions.at(data.definitionId) }),
  (event, { spans = [] }) => {
    if (!spans.some(isOpenEnded)) return [];
    const to = orderOf(event);
    const after = spans.map((span) => (isOpenEnded(span) ? { ...span, to } : span));
    return [closedDefinitions.put(event.data.definitionId, after)];
  },
);

/** A deleted definition stays closed. */
export const closingHandlers: Handlers<UsageClosing> = {
  MetricDefinitionClosed: reading(
    ({ data }: Event<'MetricDefinitionClosed'>) => ({ spans: closedDefinitions.at(data.definitionId) }),
    (event, { spans = [] }) => {
      const { definitionId, closing } = event.data;
      const span: ClosedSpan = { closing, from: orderOf(event), to: null };
      return [closedDefinitions.put(definitionId, [...spans, span].slice(-MAX_SPANS))];
    },
  ),
  MetricDefinitionReopened: definitionOpened,
  MetricDefinitionRevised: definitionOpened,
  InstallationClosed: reading(
    ({ data }: Event<'InstallationClosed'>) => ({ before: installations.at(data) }),
    ({ data }, { before }) => (before ? [installations.put(data, { ...before, closing: data.closing })] : []),
  ),
  InstallationReopened: reading(
    ({ data }: Event<'InstallationReopened'>) => ({ before: installations.at(data) }),
    ({ data }, { before }) => {
      if (!before) return [];
      const { closing: _, ...open } = before;
      return [installations.put(data, open)];
    },
  ),
};

/** Documents that {@link isVoid} reads. */
export const readByVoid = ({ data }: Recorded): readonly DocumentRef<unknown>[] => [
  installations.at(data),
  closedDefinitions.at(data.definitionId),
];

/**
 * Whether a metric is void: its installation was deleted or has another provider now, or a record to which it refers was closed at its position in
 * the log. The call that recorded it reports an error or records it again.
 */
export const isVoid = (event: Recorded, documents: DocumentChanges): boolean => {
  const installation = documents.get(installations.at(event.data));
  if (!installation || installation.closing !== undefined || installation.providerId !== event.data.providerId) return true;
  const spans = documents.get(closedDefinitions.at(event.data.definitionId));
  if (!spans) return false;
  const place = orderOf(event);
  return spans.some(({ from, to }) => from < place && (to === null || place < to));
};
