import { type Endpoint, unavailable } from './call.js';
import type { ConnectionSettings } from './connection-string.js';
import { frame } from './frames.js';
import { ProtobufReader } from './protobuf.js';
import { GrpcSession } from './session.js';

const PATH = '/event_store.client.gossip.Gossip/Read';
const EMPTY_REQUEST = frame(Buffer.alloc(0));
const LEADER = 8;

type Member = Readonly<{ state: number; isAlive: boolean; address: Endpoint }>;

/**
 * Asks all nodes at once for the leader, and returns the first one that any node names: a frozen or unreachable node delays nothing.
 * @throws CallFailed no node names a leader in time
 */
export const findLeader = async (settings: ConnectionSettings, candidates: readonly Endpoint[], ms: number): Promise<Endpoint> => {
  const sessions = candidates.map((candidate) => new GrpcSession(candidate, settings.session));
  const wait = Math.min(ms, settings.gossipTimeoutMs);
  try {
    return await Promise.any(sessions.map((session) => leaderBy(session, wait)));
  } catch (error) {
    throw unavailable('no node of the cluster names a leader', error instanceof AggregateError ? error.errors[0] : error);
  } finally {
    for (const session of sessions) void session.end();
  }
};

const leaderBy = async (session: GrpcSession, ms: number): Promise<Endpoint> => {
  const leader = (await membersBy(session, ms)).find(({ state, isAlive }) => isAlive && state === LEADER);
  if (!leader) throw unavailable('the cluster has no leader');
  return leader.address;
};

const membersBy = (session: GrpcSession, ms: number): Promise<readonly Member[]> =>
  new Promise((resolve, reject) => {
    let members: readonly Member[] = [];
    let timer: NodeJS.Timeout | undefined;
    const call = session.call(PATH, {
      message: (message) => {
        members = membersIn(message);
      },
      ended: (error) => {
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(members);
      },
    });
    timer = setTimeout(() => call.fail(unavailable('no gossip in time')), ms);
    call.sendLast(EMPTY_REQUEST);
  });

/** Decodes a `ClusterInfo`. */
const membersIn = (message: Buffer): readonly Member[] => {
  const members: Member[] = [];
  const fields = new ProtobufReader(message);
  for (let field = fields.next(); field !== 0; field = fields.next()) if (field === 1) members.push(memberIn(fields.message()));
  return members;
};

const memberIn = (fields: ProtobufReader): Member => {
  let [state, isAlive, address] = [0, false, { host: '', port: 0 }];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 3) state = fields.varint();
    else if (field === 4) isAlive = fields.varint() === 1;
    else if (field === 5) address = addressIn(fields.message());
  }
  return { state, isAlive, address };
};

const addressIn = (fields: ProtobufReader): Endpoint => {
  let [host, port] = ['', 0];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) host = fields.text();
    else if (field === 2) port = fields.varint();
  }
  return { host, port };
};
