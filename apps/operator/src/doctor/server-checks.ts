import { CHECKS, type Finding } from '#domain/operations/findings.js';
import { type MemoryNow, memoryUsed } from '#domain/operations/memory-findings.js';
import { counted } from '#domain/shared/text/figures.js';
import type { OpsClient } from '#operator/ops-client.js';
import { checkClock, type DoctorCheck, fine, wrong } from './check.js';

type Memory = Pick<MemoryNow, 'bytes' | 'limit' | 'daysLeft'>;

/** A server that waits for its stores has a reason only. */
type Health = Readonly<{ memory?: Memory; findings?: readonly Omit<Finding, 'view'>[]; reason?: string }>;

/** `1.5 GiB of 10 GiB of memory are in use, which lasts for 400 days at the pace of the last week` */
export const memoryText = (memory: Memory): string => {
  const { daysLeft } = memory;
  const lasts = daysLeft === null ? '' : `, which lasts for ${counted(Math.floor(daysLeft), 'day')} at the pace of the last week`;
  return `${memoryUsed(memory)} of memory are in use${lasts}`;
};

/** Finds a key that the server refuses, as `/health` needs none. If it can say nothing about the key, it has findings. */
const checkKey = async (server: OpsClient): Promise<readonly DoctorCheck[]> => {
  const { status } = await server.stream('/ops/rebuilds', {}, [401, 403, 503]);
  return status === 401 || status === 403
    ? [wrong('key', `the server refuses it (${status}): set LOGBOOK_OPS_KEY to a key of the operations service`)]
    : [];
};

/** Checks a running server by its own findings; only this machine's clock and key are looked at here. */
export const checkServer = async (server: OpsClient): Promise<readonly DoctorCheck[]> => {
  const answer = await server.stream('/health', {}, [503]);
  const { findings, memory, reason = 'it is of another version' } = (await answer.json()) as Health;
  if (!findings) return [wrong('server', reason)];
  const told = Date.parse(answer.headers.get('date') ?? '');
  return [
    ...CHECKS.flatMap((check) => {
      const found = findings.filter((finding) => finding.check === check);
      if (found.length === 0) return [fine(check, check === 'read store' && memory ? memoryText(memory) : '')];
      return found.map(({ text, figures, todo }) => wrong(check, [text, figures ?? [], todo].flat().join(' ')));
    }),
    checkClock(Number.isNaN(told) ? Date.now() : told, Date.now(), 'this machine'),
    ...(await checkKey(server)),
  ];
};
