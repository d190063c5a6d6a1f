import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { frame, type Handler } from './grpc.js';

const VERSION = '22.10.5';
const SERVICE = 'event_store.client.streams.streams';
/** Of those that the real server lists, the ones that are served here: the vendor's client then appends by `BatchAppend`. */
const METHODS = ['read', 'batchappend'];

const supportedMethods = (): features.SupportedMethods => {
  const all = new features.SupportedMethods();
  all.setEventStoreServerVersion(VERSION);
  for (const name of METHODS) {
    const method = new features.SupportedMethod();
    method.setMethodName(name);
    method.setServiceName(SERVICE);
    all.addMethods(method);
  }
  return all;
};

/** The rpc `GetSupportedMethods`, which a client asks once per channel before its first append. */
export const supportedMethodsHandler: Handler = (call) => ({
  message() {
    call.write(frame(supportedMethods()));
    call.end();
  },
});
