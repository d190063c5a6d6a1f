import type { AppendResult } from '#domain/shared/event-store.js';
import { CallRefused, Conflict, NotReady, TooLarge } from '#infra/stores/event-store/eventstoredb/errors.js';
import { ProtobufReader } from '#infra/stores/event-store/eventstoredb/grpc/protobuf.js';

/** The server's answer to one append: the result, or the reason of a failure. */
type AppendAnswer = Readonly<{ correlation: string; result: AppendResult | undefined; failure: Error | undefined }>;

/** Decodes a `BatchAppendResp`. @throws MalformedMessage */
export const appendAnswer = (message: Buffer): AppendAnswer => {
  const fields = new ProtobufReader(message);
  let correlation = '';
  let result: AppendResult | undefined;
  let failure: Error | undefined;
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) correlation = uuidIn(fields.message());
    else if (field === 2) failure = refusalIn(fields.message());
    else if (field === 3) result = resultIn(fields.message());
  }
  return { correlation, result, failure };
};

/** Returns it as text. In some answers to an append the server writes the id as two numbers. */
const uuidIn = (fields: ProtobufReader): string => {
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 2) return fields.ascii();
    if (field === 1) return dashed(fields.message());
  }
  return '';
};

const dashed = (fields: ProtobufReader): string => {
  const halves = ['', ''];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1 || field === 2) halves[field - 1] = fields.uint64().toString(16);
  }
  const hex = halves.map((half) => half.padStart(16, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

const resultIn = (fields: ProtobufReader): AppendResult => {
  let [revision, position] = [0n, 0n];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) revision = fields.uint64();
    else if (field === 3) position = numberIn(fields.message()) ?? 0n;
  }
  return { revision, position };
};

/** The first field, if present. */
const numberIn = (fields: ProtobufReader): bigint | undefined => {
  for (let field = fields.next(); field !== 0; field = fields.next()) if (field === 1) return fields.uint64();
  return undefined;
};

/** Distinguishes failures by the type of the details: code and text of an answer are not specific enough. */
const refusalIn = (fields: ProtobufReader): Error => {
  for (let field = fields.next(); field !== 0; field = fields.next()) if (field === 3) return refusalBy(fields.message());
  return new Error('an append was answered without details');
};

const refusalBy = (fields: ProtobufReader): Error => {
  let type = '';
  let details: ProtobufReader | undefined;
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) type = fields.text().replace(/^.*\//, '');
    else if (field === 2) details = fields.message();
  }
  switch (type) {
    case 'event_store.client.WrongExpectedVersion':
      return new Conflict((details && numberIn(details)) ?? 'no-stream');
    case 'event_store.client.MaximumAppendSizeExceeded':
      return new TooLarge(`the server refused an append: ${type}`);
    case 'event_store.client.StreamDeleted':
    case 'event_store.client.MaximumAppendEventSizeExceeded':
    case 'event_store.client.AccessDenied':
    case 'event_store.client.BadRequest':
      return new CallRefused(`the server refused an append: ${type}`);
    case 'google.protobuf.Empty':
      return new NotReady('the server is not ready');
    default:
      return new Error(`an append was answered with ${type || 'no details'}`);
  }
};
