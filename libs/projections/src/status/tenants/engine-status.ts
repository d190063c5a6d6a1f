import { type EngineStatus, isAllWell, type MessagingStatus } from '#domain/status/tenants/engine-status.js';
import type { DocumentCodec } from '#projections/shared/projection.js';
import { RECORD_DEPTH, wireText } from '#projections/status/layout.js';

/** Members in the order of the wire (status contract 10.1). */
const nodeView = ({ ingestion, publishing, status_streaming, messages_arrived }: MessagingStatus): object => ({
  ingestion,
  publishing,
  status_streaming,
  messages_arrived,
});

const view = (status: EngineStatus): object => {
  const { ams, hdfs, engine_config, last_check } = status;
  const { metric_data, sync_data } = hdfs;
  return {
    total_status: isAllWell(status),
    ams: { metric_data: nodeView(ams.metric_data), sync_data: nodeView(ams.sync_data) },
    hdfs: Object.keys(sync_data).length > 0 ? { metric_data, sync_data } : { metric_data },
    engine_config,
    last_check,
  };
};

/** Only counts are texts of digits under this name: other members of it are booleans, and quotes inside of texts are escaped. */
const COUNT = /"messages_arrived": "(-?\d+)"/g;

/** The engine status as it stands in a record of a list, the counts as numbers however large they are. */
export const engineStatusText = (status: EngineStatus): string =>
  wireText(view(status), RECORD_DEPTH + 1).replace(COUNT, '"messages_arrived": $1');

/** Documents of engine status are that text. */
export const engineStatusCodec: DocumentCodec = {
  encode: (document) => engineStatusText(document as EngineStatus),
  decode: (text) => JSON.parse(text),
};
