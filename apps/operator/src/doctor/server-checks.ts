import type { OpsClient } from '#operator/ops-client.js';
import { type Check, checkAnchor, checkCertificate, checkClock, checked, fine, wrong } from './check.js';

type Part = Readonly<{ status: string; detail?: string }>;
type Health = Readonly<{
  eventLog: Part;
  readStore: Part;
  projections: Readonly<Record<string, string>>;
  chain?: Readonly<{ status: string; size: number }>;
  certificate?: Readonly<{ expires: string; trouble: string | null }>;
}>;

const checkPart = (check: string, { status, detail = status }: Part): Check => (status === 'up' ? fine(check) : wrong(check, detail));

const checkProjections = (projections: Health['projections']): Check => {
  const unwell = Object.entries(projections).filter(([, state]) => state !== 'live');
  if (unwell.length === 0) return fine('read models');
  return wrong('read models', `${unwell.map(([name, state]) => `${name} is ${state}`).join(', ')}: see logbook projections list`);
};

/** A log that takes no events has no leaves added either. */
const checkChain = ({ chain, eventLog }: Health): Check => {
  const { status = 'live', size = 0 } = chain ?? {};
  if (['live', 'catching-up'].includes(status)) return fine('chain', `${size} events`);
  if (eventLog.status !== 'up') return wrong('chain', `${status}: see the event log`);
  return wrong(
    'chain',
    status === 'off' ? 'off: one node needs LOGBOOK_CHAIN=on' : `${status}: see the log of the nodes with the role history`,
  );
};

/** A running server, as it says itself. */
export const checkServer = async (server: OpsClient): Promise<readonly Check[]> => {
  const answer = await server.stream('/health', {}, [503]);
  const health = (await answer.json()) as Health;
  const { eventLog, readStore, projections, chain, certificate } = health;
  const told = Date.parse(answer.headers.get('date') ?? '');
  return [
    checkPart('event log', eventLog),
    checkPart('read store', readStore),
    checkProjections(projections),
    checkClock(Number.isNaN(told) ? Date.now() : told, Date.now(), 'this machine'),
    checkChain(health),
    await checked('anchor', async () => {
      const { items } = await server.get<{ items: { size: number; time: string }[] }>('/audit/anchors?order=desc&limit=1');
      return checkAnchor(items[0] ?? null, chain?.size ?? 0);
    }),
    ...(certificate ? [checkCertificate(new Date(certificate.expires), certificate.trouble)] : []),
  ];
};
