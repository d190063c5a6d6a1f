import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './servers/child.js';

const headers = { 'x-api-key': 'bench-ops', 'content-type': 'application/json' };
const JOB_LOOK_MS = 100;

type Job = Readonly<{ state: string; failure: unknown }>;

/** A call by the operator of the installation. @throws when the answer is not 2xx */
const operate = async ({ url }: Child, method: string, path: string, body?: object): Promise<unknown> => {
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
};

/** Begins a job and waits for its end. @throws when it is not done */
export const job = async (server: Child, path: string, body?: object): Promise<void> => {
  const { href } = (await operate(server, 'POST', path, body)) as Readonly<{ href: string }>;
  for (;;) {
    const { state, failure } = (await operate(server, 'GET', href)) as Job;
    if (state === 'done') return;
    if (state === 'failed' || state === 'cancelled') throw new Error(`${path} ${state}: ${JSON.stringify(failure)}`);
    await sleep(JOB_LOOK_MS);
  }
};

/** Anonymous memory of a process. */
export const rssAnonBytes = ({ pid }: Pick<Child, 'pid'>): number =>
  Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

const isThere = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Stops a server, and waits until it has ended. */
export const end = async ({ pid }: Pick<Child, 'pid'>): Promise<void> => {
  process.kill(pid, 'SIGTERM');
  while (isThere(pid)) await sleep(JOB_LOOK_MS);
};
