export type ListenerConfiguration = Readonly<{
  /** Project that takes up what is announced. */
  projectId: string;
  /** Answer to the question of the messaging service whether this is its listener. */
  verificationHash: string | undefined;
}>;
/** Injection token. */
export const LISTENER_CONFIGURATION = Symbol('ListenerConfiguration');

/** Actor and creator of everything that comes through the push listener. */
export const LISTENER_ID = 'from-ams';
