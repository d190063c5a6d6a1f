import { Long } from 'bson';
import { type EngineStatus, ensureEngineStatusSize, type MessagingStatus } from '#domain/status/tenants/engine-status.js';
import { type Fields, fieldsIn, flagIn, integerIn, partIn, textIn } from '#operator/migrate/read/fields.js';

const messaging = (fields: Fields): MessagingStatus => ({
  ingestion: flagIn(fields, 'ingestion'),
  publishing: flagIn(fields, 'publishing'),
  status_streaming: flagIn(fields, 'status_streaming'),
  messages_arrived:
    fields.messages_arrived instanceof Long ? fields.messages_arrived.toString() : String(integerIn(fields, 'messages_arrived', 0)),
});

const syncedData = (fields: Fields): EngineStatus['hdfs']['sync_data'] =>
  Object.fromEntries(
    Object.keys(fields).map((report) => {
      const inputs = partIn(fields, report);
      return [report, Object.fromEntries(Object.keys(inputs).map((input) => [input, flagIn(inputs, input)]))];
    }),
  );

/** Last engine status of a tenant in the original; `undefined` if none. `totalstatus` is derived from the rest. @throws WrongField, DomainError `OVER_LIMIT` */
export const engineStatusIn = (tenant: Fields): EngineStatus | undefined => {
  const status = fieldsIn(tenant, 'status');
  if (!status) return undefined;
  const ams = partIn(status, 'ams');
  const hdfs = partIn(status, 'hdfs');
  const found = {
    ams: { metric_data: messaging(partIn(ams, 'metric_data')), sync_data: messaging(partIn(ams, 'sync_data')) },
    hdfs: { metric_data: flagIn(hdfs, 'metric_data'), sync_data: syncedData(partIn(hdfs, 'sync_data')) },
    engine_config: flagIn(status, 'engine_config'),
    last_check: textIn(status, 'last_check'),
  };
  ensureEngineStatusSize(found);
  return found;
};
