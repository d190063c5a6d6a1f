import type { OpsClient } from '#operator/ops-client.js';
import { checkAnchor, checkCertificate, checkClock, checked, checkMetadata, type DoctorCheck, fine, wrong } from './check.js';

type Part = Readonly<{ status: string; detail?: string }>;
type Health = Readonly<{
  eventLog: Part;
  readStore: Part;
  chain?: Readonly<{ status: string; size: number; lagSeconds?: number }>;
  certificate?: Readonly<{ expires: string; trouble: string | null }>;
}>;

const checkPart = (check: string, { status, detail = status }: Part): DoctorCheck => (status === 'up' ? fine(check) : wrong(check, detail));

type Projection = Readonly<{ name: string; state: string; lag: Readonly<{ seconds: number }> }>;

/** During a burst of writes, followers of the log lag behind it for some seconds, which is normal. */
const LATE_SECONDS = 60;

const checkProjections = (projections: readonly Projection[]): DoctorCheck => {
  const behind = projections.filter(({ state }) => state !== 'live');
  const shown = behind.map(({ name, state }) => `${name} is ${state}`).join(', ');
  const isWrong = behind.some(({ state, lag }) => !['catching-up', 'rebuilding'].includes(state) || lag.seconds > LATE_SECONDS);
  return isWrong ? wrong('read models', `${shown}: see logbook projections list`) : fine('read models', shown);
};

/** If a log accepts no events, no leaves are added either. */
const checkChain = ({ chain, eventLog }: Health): DoctorCheck => {
  const { status = 'live', size = 0, lagSeconds = 0 } = chain ?? {};
  if (['live', 'catching-up'].includes(status) || (status === 'behind' && lagSeconds <= LATE_SECONDS))
    return fine('chain', `${size} events`);
  if (eventLog.status !== 'up') return wrong('chain', `${status}: see the event log`);
  return wrong(
    'chain',
    status === 'off' ? 'off: one node needs LOGBOOK_CHAIN=on' : `${status}: see the log of the nodes with the role history`,
  );
};

/** Returns no check if this node does not search (the log is embedded, or another node searches), or a proxy hides `/metrics`. */
const checkForeignMetadata = async (server: OpsClient): Promise<readonly DoctorCheck[]> => {
  const metrics = await server.stream('/metrics').then(
    (answer) => answer.text(),
    () => '',
  );
  const [, count] = /^logbook_foreign_stream_metadata (\d+)$/m.exec(metrics) ?? [];
  if (count === undefined) return [];
  return [checkMetadata(count === '0' ? null : `streams: ${count} (the log of the server names them)`)];
};

/** Checks a running server by its own answers. */
export const checkServer = async (server: OpsClient): Promise<readonly DoctorCheck[]> => {
  const answer = await server.stream('/health', {}, [503]);
  const health = (await answer.json()) as Health;
  const { eventLog, readStore, chain, certificate } = health;
  const told = Date.parse(answer.headers.get('date') ?? '');
  return [
    checkPart('event log', eventLog),
    checkPart('read store', readStore),
    await checked('read models', async () => checkProjections((await server.get<{ items: Projection[] }>('/ops/projections')).items)),
    checkClock(Number.isNaN(told) ? Date.now() : told, Date.now(), 'this machine'),
    checkChain(health),
    await checked('anchor', async () => {
      const { items } = await server.get<{ items: { size: number; time: string }[] }>('/audit/anchors?order=desc&limit=1');
      return checkAnchor(items[0] ?? null, chain?.size ?? 0);
    }),
    ...(await checkForeignMetadata(server)),
    ...(certificate ? [checkCertificate(new Date(certificate.expires), certificate.trouble)] : []),
  ];
};
