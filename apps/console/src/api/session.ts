import { ApiError, call, get, type ReadOptions, SESSION, send } from './client.js';
import { forgetNames } from './names.js';

export type Role = 'operator' | 'auditor';

/** Who is signed in. `key`: id of the key. `endsAt`: instant at which the session ends at the latest. */
export type Session = Readonly<{ key: string; name: string; roles: readonly Role[]; endsAt: string }>;

/** @returns `null` where nobody is signed in @throws ApiError */
export const currentSession = async (options: Pick<ReadOptions, 'once' | 'signal'> = {}): Promise<Session | null> =>
  (await get<{ session: Session | null }>(SESSION, {}, options)).session;

/** @throws ApiError 401: no such key, 429: too many wrong ones */
export const signIn = async (key: string): Promise<Session> => {
  await call(SESSION, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ key }) });
  forgetNames();
  const session = await currentSession();
  if (!session) throw new ApiError(0, 'Not signed in', 'The browser does not keep the cookie of the session.');
  return session;
};

/** @throws ApiError */
export const signOut = (): Promise<void> => send('DELETE', SESSION);

/** Whether actions of operators are shown. */
export const mayOperate = ({ roles }: Session): boolean => roles.includes('operator');

/** Whether actions and reads of auditors are shown. */
export const mayAudit = ({ roles }: Session): boolean => roles.includes('auditor');
