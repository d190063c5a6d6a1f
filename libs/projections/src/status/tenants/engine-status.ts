import { type EngineStatus, isAllWell, type MessagingStatus } from '#domain/status/tenants/engine-status.js';
import { laidOut } from '#projections/status/free-json.js';
import { objectText, RECORD_DEPTH, wireText } from '#projections/status/layout.js';

/** Members in wire order (status contract 10.1). The count is written as digits, because it may exceed the safe integers of JavaScript. */
const messagingText = ({ ingestion, publishing, status_streaming, messages_arrived }: MessagingStatus, depth: number): string =>
  objectText(
    {
      ingestion: wireText(ingestion),
      publishing: wireText(publishing),
      status_streaming: wireText(status_streaming),
      messages_arrived,
    },
    depth,
  );

/** The engine status in the format of a record in a list. */
export const engineStatusText = (status: EngineStatus): string => {
  const { ams, hdfs, engine_config, last_check } = status;
  const { metric_data, sync_data, sync_json } = hdfs;
  const depth = RECORD_DEPTH + 1;
  const messaging = {
    metric_data: messagingText(ams.metric_data, depth + 2),
    sync_data: messagingText(ams.sync_data, depth + 2),
  };
  return objectText(
    {
      total_status: wireText(isAllWell(status)),
      ams: objectText(messaging, depth + 1),
      hdfs: sync_json
        ? laidOut(`{"metric_data":${metric_data},"sync_data":${sync_json}}`, depth + 1)
        : wireText(Object.keys(sync_data).length > 0 ? { metric_data, sync_data } : { metric_data }, depth + 1),
      engine_config: wireText(engine_config),
      last_check: wireText(last_check),
    },
    depth,
  );
};
