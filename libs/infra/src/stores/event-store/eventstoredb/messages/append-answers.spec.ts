import statuses from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { expect, it } from '@jest/globals';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import { CallRefused } from '#infra/stores/event-store/eventstoredb/errors.js';
import { appendAnswer } from './append-answers.js';

it('is a refusal if an event is larger than a newer server may be told to accept', () => {
  const details = new anyPb.Any();
  details.setTypeUrl('type.googleapis.com/event_store.client.MaximumAppendEventSizeExceeded');
  const status = new statuses.Status();
  status.setDetails(details);
  const answer = new streams.BatchAppendResp();
  answer.setError(status);
  expect(appendAnswer(Buffer.from(answer.serializeBinary())).failure).toBeInstanceOf(CallRefused);
});
