import { RECORD_DEPTH, sizeWithin } from '#domain/status/limits.js';

/**
 * State of the compute engine's connection to one message topic. `messages_arrived`: a 64-bit integer in decimal digits, which may exceed the safe
 * integers of JavaScript.
 */
export type MessagingStatus = Readonly<{ ingestion: boolean; publishing: boolean; status_streaming: boolean; messages_arrived: string }>;

/** Availability of the engine's inputs, by the names that the engine sent, for each free name (in practice that of a report). */
type SyncedData = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** Status of a tenant as reported by the compute engine, with members as on the wire (status contract 10). `last_check` is verbatim. */
export type EngineStatus = Readonly<{
  ams: Readonly<{ metric_data: MessagingStatus; sync_data: MessagingStatus }>;
  /** `sync_json`: `sync_data` with its names in the order in which they were sent. Present only if an object, or an answer made of it, does not keep that order. */
  hdfs: Readonly<{ metric_data: boolean; sync_data: SyncedData; sync_json?: string }>;
  engine_config: boolean;
  last_check: string;
}>;

/** @throws DomainError `OVER_LIMIT` */
export const ensureEngineStatusSize = (status: EngineStatus): void => void sizeWithin('engineStatusSize', status, RECORD_DEPTH + 1);

const silent: MessagingStatus = { ingestion: false, publishing: false, status_streaming: false, messages_arrived: '0' };

/** The status of a tenant that the engine has not reported yet. */
export const unknownEngineStatus: EngineStatus = {
  ams: { metric_data: silent, sync_data: silent },
  hdfs: { metric_data: false, sync_data: {} },
  engine_config: false,
  last_check: '',
};

/** Whether every reported boolean is true. Counts and times are ignored. */
export const isAllWell = ({ ams, hdfs, engine_config }: EngineStatus): boolean =>
  engine_config &&
  hdfs.metric_data &&
  [ams.metric_data, ams.sync_data].every(({ ingestion, publishing, status_streaming }) => ingestion && publishing && status_streaming) &&
  Object.values(hdfs.sync_data).every((inputs) => Object.values(inputs).every((inPlace) => inPlace));
