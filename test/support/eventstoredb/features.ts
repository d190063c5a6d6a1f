import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { frame, type Handler } from './grpc.js';

const VERSION = '22.10.5';
const PERSISTENT = ['stream', 'all'];

/** Service and its methods; a method with features is a pair. All the real server lists, in its order, though few are served here. */
const SERVICES: readonly (readonly [string, readonly (string | readonly [string, readonly string[]])[]])[] = [
  [
    'persistent_subscriptions.persistentsubscriptions',
    ['create', 'update', 'delete', 'read', 'getinfo', 'replayparked', 'list', 'restartsubsystem'].map(
      (name) => [name, PERSISTENT] as const,
    ),
  ],
  ['users.users', ['create', 'update', 'delete', 'disable', 'enable', 'details', 'changepassword', 'resetpassword']],
  ['streams.streams', [['read', ['position', 'events']], 'append', 'delete', 'tombstone', ['batchappend', ['deadline_duration']]]],
  [
    'operations.operations',
    ['startscavenge', 'stopscavenge', 'shutdown', 'mergeindexes', 'resignnode', 'setnodepriority', 'restartpersistentsubscriptions'],
  ],
  ['gossip.gossip', ['read']],
  ['monitoring.monitoring', ['stats']],
  ['server_features.serverfeatures', ['getsupportedmethods']],
];

const supportedMethods = (): features.SupportedMethods => {
  const all = new features.SupportedMethods();
  all.setEventStoreServerVersion(VERSION);
  for (const [service, methods] of SERVICES) {
    for (const listed of methods) {
      const [name, featureNames] = typeof listed === 'string' ? [listed, []] : listed;
      const method = new features.SupportedMethod();
      method.setMethodName(name);
      method.setServiceName(`event_store.client.${service}`);
      method.setFeaturesList([...featureNames]);
      all.addMethods(method);
    }
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
