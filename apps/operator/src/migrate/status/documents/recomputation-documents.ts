import type { Exclusions, RecomputationRequest } from '#domain/status/recomputations/recomputations.js';
import { allTextsIn, type Fields, fieldsListIn, textIn, textsIn } from '#operator/migrate/read/fields.js';
import type { ChangedTimes } from './changed-times.js';
import { filledIn, idIn, instantIn, madeAt } from './members.js';

/** `time`: in the form of events. */
type ExportedStatus = Readonly<{ status: string; time: string }>;

/** `history` is never empty; its last entry is the current status. */
export type ExportedRecomputation = Readonly<{
  id: string;
  request: RecomputationRequest & Exclusions;
  history: readonly ExportedStatus[];
}>;

const PENDING = 'pending';

const statusIn = (fields: Fields, fallback: string): ExportedStatus => ({
  status: textIn(fields, 'status') || PENDING,
  time: instantIn(textIn(fields, 'timestamp')) ?? fallback,
});

/** The history. If it is empty or ends with another status, status and timestamp of the document are added. */
const historyIn = (fields: Fields): readonly ExportedStatus[] => {
  const made = madeAt(fields);
  const history = fieldsListIn(fields, 'history').map((entry) => statusIn(entry, made));
  const now = statusIn(fields, history.at(-1)?.time ?? made);
  return history.at(-1)?.status === now.status ? history : [...history, now];
};

/** An instant in the form shown in a history. */
export const shownTimestamp = (time: string): string => `${time.slice(0, 19)}Z`;

/** Times of the document and of its history, with those shown by Logbook: `timestamp` is that of the last status. @throws WrongField */
export const timestampsOf = (fields: Fields, { history }: ExportedRecomputation): ChangedTimes => {
  const entries = fieldsListIn(fields, 'history');
  const timeOf = (entry: Fields, time = ''): ChangedTimes[string] => ({ text: textIn(entry, 'timestamp'), shown: shownTimestamp(time) });
  return {
    timestamp: timeOf(fields, history.at(-1)?.time),
    ...Object.fromEntries(entries.map((entry, index) => [`history[${index}].timestamp`, timeOf(entry, history[index]?.time)])),
  };
};

/** @throws Refused, WrongField */
export const recomputationDocument = (fields: Fields): ExportedRecomputation => ({
  id: idIn(fields),
  request: {
    ...allTextsIn(fields, 'requester_name', 'requester_email', 'reason', 'start_time', 'end_time', 'report'),
    exclude: textsIn(fields, 'exclude'),
    exclude_metrics: fieldsListIn(fields, 'exclude_metrics').map((place) => filledIn(place, 'metric', 'hostname', 'service', 'group')),
    exclude_monitoring_source: fieldsListIn(fields, 'exclude_monitoring_source').map((source) =>
      allTextsIn(source, 'host', 'start_time', 'end_time'),
    ),
    applied_status_changes: fieldsListIn(fields, 'applied_status_changes').map((change) =>
      filledIn(change, 'metric', 'hostname', 'service', 'group', 'state'),
    ),
  },
  history: historyIn(fields),
});
